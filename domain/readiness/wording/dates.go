package wording

import "slices"

// The words of the names of dates that are not of what a row stands for.
var (
	births = SetOf("birth,birthdate,birthday,dob,born,geburt,geburtsdatum,geburtstag,geboren,geboorte,geboortedatum,geboortedag,naissance," +
		"nascimento,nasc,nacimiento,nascita")
	// stamps are words of a load, a copy or a change of a row.
	stamps = SetOf("sync,synced,synchronized,refresh,refreshed,ingested,ingestion,etl,dwh,dw,modified,modification,update,updated,changed," +
		"ladedatum,ladezeit,ladezeitpunkt,geladen,importdatum,exportdatum,geändert,änderungsdatum,aktualisiert,aktualisierungsdatum," +
		"chargement,actualisation,modifié,carga,atualização,atualizado,modificação,modificado,actualización,actualizado,modificación," +
		"laaddatum,gewijzigd,wijzigingsdatum,bijgewerkt,caricamento,aggiornamento,modifica")
	// moved are words of loads only beside one of movedAt, as goods are loaded and imported too; taken only beside one of takenAt.
	moved   = SetOf("load,loaded,loading,ingested,import,imported,export,exported,extract,extracted,insert,inserted")
	movedAt = SetOf("date,time,timestamp,period,at")
	taken   = SetOf("snapshot,run")
	takenAt = SetOf("time,timestamp,at")
	created = SetOf("created,creation,erstellt,erstelldatum,erstellungsdatum,angelegt,création,créé,criação,criado,creación,creado,aangemaakt," +
		"aanmaakdatum,creazione,creato")
	rows      = SetOf("row,record")
	dateNouns = SetOf("date,datum,data,dt,fecha")
	dateLinks = SetOf("of,de,di")
)

// RecordWord returns the words of a date's name that say that it is a birth date, or that it keeps a record of a load, a copy or a
// change; "" if none do. Such a date says nothing of when what a row stands for happened.
func RecordWord(words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return births[w] || stamps[w] }); i >= 0 {
		return words[i]
	}
	for i := 1; i < len(words); i++ {
		a, b := words[i-1], words[i]
		if moved[a] && movedAt[b] || movedAt[a] && moved[b] || taken[a] && takenAt[b] || rows[a] && created[b] {
			return a + " " + b
		}
	}
	return ""
}

// SaysCreated reports whether a date's name says that it is the creation of a row, which may be when what it stands for happened.
func SaysCreated(words []string) bool { return created.Meets(words) }

// SaysBirthDate reports whether a name ends as that of a birth date: Birthday, Birth Date, Date de naissance.
func SaysBirthDate(words []string) bool {
	last := LastWords(words, 3)
	switch {
	case dateNouns[last[2]]:
		return births[last[1]]
	case !births[last[2]]:
		return false
	}
	return wholeBirths[last[2]] || dateNouns[last[1]] || dateLinks[last[1]] && dateNouns[last[0]]
}

// wholeBirths are the words of births that say date too.
var wholeBirths = SetOf("birthdate,birthday,dob,geburtsdatum,geburtstag,geboortedatum,geboortedag")
