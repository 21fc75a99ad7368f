package textcheck

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"readiness/domain/proposal/textcheck/wordlist"
	"readiness/internal/lateregexp"
)

var (
	// label matches the name of a speaker before a colon, at the start of a sentence.
	label = lateregexp.New(`(?:^|[.!?;,。)\]"'\n>*#-])[\s#*_>-]*(system|systeme|sistema|assistant|assistante|asistente|assistente|` +
		`assistent|user|benutzer|` +
		`utilisateur|usuario|developer|human|ai|ki|ia|admin|administrator|系统|助手|用户|开发者|管理员)\s?:([^.!?。\n]*)`)
	// heading matches a name that only instructions to an AI have.
	heading = lateregexp.New(`\bsystem ?(?:prompt|message|note|instruction|override|update|command|mode)s? ?:|\bnew (?:instruction|` +
		`rule|task)s? ?:|` +
		`\b(?:instruction|note|message|order|command|hint)s? (?:to|for) (?:the |any |all )?(?:ai|assistant|model|reader|copilot|agent|` +
		`llm|bot|chatbot)s?\b|` +
		`\b(?:hinweis|anweisung|befehl)e? (?:an|fur) (?:die |den |das )?(?:ki|assistent|assistenten|modell|leser)\b|` +
		`\b(?:instruction|consigne|note|message)s? (?:a|pour) (?:l')?(?:ia|assistant|modele)\b|\b(?:instruccion|instrucciones|nota|` +
		`mensaje) para (?:la ia|el asistente|el modelo)\b`)
	// persona matches the assignment of another role to the reader.
	persona = lateregexp.New(`\b(?:you are|you're) (?:now|no longer|an? |the |free|allowed|permitted|authori[sz]ed|in )|` +
		`\bfrom now on,? you\b|\bpretend (?:to|that|you)\b|` +
		`\bact as (?:an?|the|if) |\bjailbreak\b(?:[^ ]|$| (?:mode|yourself|the|your|this|prompt))|` +
		`\b(?:do anything now|developer mode)\b|\byou have (?:no |full |admin)|` +
		`\bdu bist (?:jetzt|nun|ab|ein|kein|der|frei)|\bbist du (?:jetzt|nun|ein|kein|der|frei)|\bsie sind (?:jetzt|nun|ab)|` +
		`\btu so,? als\b|\bverhalte dich\b|` +
		`\b(?:tu es|vous etes) (?:desormais|maintenant|un |une |le |libre|autorise)|\b(?:faites|fais) comme si\b|\b(?:agis|agissez|` +
		`comporte-toi|comportez-vous) comme\b|` +
		`\beres (?:ahora |un |una |el |libre)|\busted es (?:ahora|un|una|el)\b|\b(?:actua|actue|comportate|comportese) como\b|\bfinge\b|` +
		`你现在是|从现在起你|扮演`)
	// decree matches what a speaker has who changes the rules.
	decree = lateregexp.New(`\b(?:new|neue\w*|nouve\w*|nuev[ao]s?) (?:polic\w+|rules?|regeln?|regles?|reglas?|politi\w+|` +
		`orders?|modes?|modus|modo)\b|` +
		`\bfrom now on\b|\bab (?:jetzt|sofort)\b|\bvon nun an\b|\ba partir de ahora\b|\b(?:desormais|dorenavant)\b|从现在起|新规则`)
	// addressed matches words that a text to a reader has, and one about data seldom.
	addressed = lateregexp.New(`\b(?:you|your|reader|du|dein\w*|leser|ki|vous|votre|vos|lecteur|tu|tus|lector|usted|` +
		`administrator\w*|administrateur|administrador|rights|rechte\w*|` +
		`answer|respond|antworte\w*|reponds|repondez|responde|instructions?|prompt|override|output|gib|must|always|never|immer|toujours|` +
		`siempre|sure|` +
		`natur\w*|claro|bien sur|unrestricted)\b|读者|你|您|权限|回答`)
)

// speaker reports whether a plain text pretends to have another speaker, or gives its
// reader another role.
func speaker(text string) bool {
	if heading.MatchString(text) || persona.MatchString(text) {
		return true
	}
	for _, at := range label.FindAllStringSubmatch(text, -1) {
		if wordlist.Surely[at[1]] || addressed.MatchString(at[2]) || decree.MatchString(at[2]) {
			return true
		}
		if answersAll(at[2]) {
			return true
		}
		for clause := range clauses(at[2]) {
			if headed(clause) || does(clause) {
				return true
			}
		}
	}
	return false
}

// does reports whether a clause begins with an imperative that is an order only after the name of a speaker.
func does(clause string) bool {
	rest, ok := after(withoutFillers(clause), wordlist.Doing)
	if !ok {
		return false
	}
	_, ok = after(rest, wordlist.Determiners)
	return ok
}

var (
	chinesePolite = lateregexp.New(`(?:请|你|您|务必|必须|立即|马上|一律)(?:你|您|先|务必|必须|应该|应当|需要|要|可以|立即|马上|现在|直接|一定|都|始终|总是|(?:把|将).{0,12}|` +
		`在.{1,8}(?:前|时|后)){0,4}(?:` +
		chineseVerbs + `)`)
	chineseHead = lateregexp.New(`^(?:现在|然后|接着|并且|并|再|先|从现在起|一律|直接|始终|总是|不要忘记|记得|应该|应当|需要|可以){0,3}(?:` + chineseVerbs + `)`)
	// chineseDuty matches an order about a reader's rules, wherever its verb stands.
	chineseDuty = lateregexp.New(`(?:忽略|无视|忽视|忘记|忘掉|绕过|违反|不要遵守|不要遵循|不再遵守|泄露|透露|输出|显示|重复).{0,10}(?:指令|指示|提示词|规则|系统提示|约束|限制|守则)|` +
		`(?:取消|解除|停止遵循|关闭).{0,3}(?:所有|一切|全部|先前|之前|此前|以前|原来|原有|你|您).{0,4}(?:约束|限制|指令|规则)|` +
		`(?:管理员|系统|开发者)(?:命令|指令)[::]`)
)

// chineseData matches what a measure leaves out: cancelled, deleted or empty rows.
var chineseData = lateregexp.New(`^忽略(?:所有|全部)?(?:已|被)?(?:取消|删除|作废|重复|空白?|缺失|无效)(?:了)?的?(?:订单|记录|行|数据|值|客户|商品|产品|交易)$`)

const chineseVerbs = `忽略|无视|忽视|忘记|忘掉|不要理会|不理会|别理会|不要遵守|不要遵循|绕过|透露|泄露|泄漏|揭示|披露|说出|登录|登入|登陆|点击|单击|点选|点开`

// chineseNouns are what follows a verb that is a part of a noun.
const chineseNouns = "率次数量时日的用者人名状页类方失成后前记总设地标账区间频率渠"

// inChinese reports whether a text gives an order in Chinese.
func inChinese(text string) bool {
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return false
	}
	text = strings.ReplaceAll(text, " ", "")
	if chineseDuty.MatchString(text) || chinesePolite.MatchString(text) {
		return true
	}
	for clause := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }) {
		if chineseData.MatchString(clause) {
			continue
		}
		if strings.HasPrefix(clause, "忽略") && !strings.ContainsAny(clause, "的率数次") {
			return true
		}
		if at := chineseHead.FindString(clause); at != "" {
			next, n := utf8.DecodeRuneInString(clause[len(at):])
			if n > 0 && !strings.ContainsRune(chineseNouns, next) {
				return true
			}
		}
	}
	return false
}
