package wordlist

// Ignoring are the words that are imperatives, or say what a measure does with rows, and Ignore is the English one. LeftOut says that
// the rows are left out for what they are. English has a form for each, so LeftOutByAI is for instructions alone. Rules are no rows.
var (
	Ignoring = Phrases("ignore, ignorez, ignora, ignoriere, ignorieren sie")
	Ignore   = Phrases("ignore")
	LeftOut  = Set("annule annules annulee annulees supprime supprimes supprimee supprimees vide vides manquants manquantes " +
		"doublons inactifs inactives cancelado cancelados cancelada canceladas anulado anulados anulada anuladas vacio vacios vacia " +
		"vacias eliminados eliminadas duplicados duplicadas inactivos inactivas stornierte stornierten geloschte geloschten leere " +
		"leeren doppelte doppelten")
	LeftOutByAI = Set("cancelled canceled deleted duplicate duplicates duplicated empty blank blanks missing null nulls void " +
		"voided inactive")
	Rules = Set("rule rules policy policies restriction restrictions filter filters permission permissions right rights security " +
		"warning warnings check checks limit limits everything above below previous prior earlier command commands that this what " +
		"regles regle filtres droits securite reglas regla filtros permisos seguridad regel regeln rechte sicherheit alles " +
		"system message messages context")
)
