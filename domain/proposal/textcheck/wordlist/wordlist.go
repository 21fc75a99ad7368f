// Package wordlist lists the words by which domain/proposal/textcheck recognizes an order to a reader, in English, German, French
// and Spanish. A list of phrases has a space at both ends of each; a set has single words. All are in lower case without
// accents, as the checks compare them.
package wordlist

import "strings"

// Fillers may stand before an imperative.
var Fillers = Phrases(
	"please, kindly, now, then, and, also, just, simply, but, so, first, next, finally, always, immediately, instead, again, or, do, "+
		"dear, only",
	"could you, can you, would you, will you, would you mind, make sure to, make sure you, be sure to, be sure you, remember to, make "+
		"certain to",
	"do not forget to, don t forget to, don t hesitate to, feel free to, go ahead and, try to, it is important to, it is important that "+
		"you, you",
	"it is necessary to, if you would, be so kind as to, be so kind and, take care to, i want you to, we ask you to, we need you to, i "+
		"need you to, to",
	"it is enough to, it suffices to, you only have to, you just have to, all you need to do is, it would be best to, it would be best "+
		"if you would",
	"il suffit de, il suffit d, il vous suffit de, il vous suffit d, basta con, solo tienes que, solo tiene que, es genugt, es reicht",
	"before you answer, from now on, at once, important, warning, note, attention, reader, ai, model, assistant, copilot, agent, hey, "+
		"let us, let s",
	"bitte, nun, jetzt, dann, und, auch, einfach, aber, zuerst, danach, sofort, immer, anschliessend, hiermit, ab sofort, ab jetzt, von "+
		"nun an, oder",
	"seien sie so freundlich und, sei so freundlich und, dabei, stattdessen, freundlicherweise, achtung, wichtig, hinweis, sie, du, "+
		"zunachst",
	"veuillez, merci de, merci d, s il vous plait, s il te plait, svp, priere de, priere d, il faut, il convient de, il convient d, "+
		"pensez a",
	"n oubliez pas de, n oubliez pas d, n hesitez pas a, puis, ensuite, et, maintenant, alors, donc, desormais, dorenavant, mais, a "+
		"present, toujours, ou",
	"assurez vous de, assurez vous d, vous pouvez, pouvez vous, pourriez vous, je vous prie de, je vous prie d, je vous demande de, je "+
		"vous demande d, d",
	"il est important de, il est important d, vous etes prie de, vous etes prie d, vous etes pries de, vous etes pries d, attention, d "+
		"abord, de plus",
	"por favor, y, e, luego, despues, entonces, ahora, asegurate de, asegurese de, recuerda, recuerde, no olvides, no olvide, no dudes "+
		"en, siempre, pero",
	"simplemente, debes, debe usted, usted debe, tienes que, tiene que, tiene usted que, deberias, deberia usted, usted deberia, hay "+
		"que, es necesario",
	"es importante, puedes, podrias, podria, podria usted, te pido que, le pido que, se ruega, se ruega que, te ruego que, a partir de "+
		"ahora, tambien",
	"primero, necesitas, ha de, has de, debera usted, usted debera, deberas, o, sea tan amable de, ten la amabilidad de, atencion, "+
		"importante",
)

// Verbs are English imperatives that are no nouns.
var Verbs = Phrases("ignore, disregard, forget, reveal, disclose, divulge, pay no attention, take no notice, overlook, unveil, neglect")

// EitherVerbs may also be nouns or parts of names; a determiner decides.
var EitherVerbs = Phrases("log in, log on, log into, log onto, sign in, sign on, sign into, login, logon, signin, click, tap, " +
	"override, bypass, circumvent, leak, expose, " +
	"skip, authenticate, log yourself, sign yourself, double click, circumvent")

// Determiners begin the object of a verb.
var Determiners = Phrases("the, your, all, any, every, each, this, that, these, those, my, our, on, here, now, to, with, at, via, " +
	"using, a, an, into, it, " +
	"them, everything, whatever, what, below, above, anything, as, again, first, before, in, there, once, safety, previous, prior")

// Nouns make a verb before them a part of a name, or the clause an enumeration.
var Nouns = Phrases("flag, flags, count, counts, rate, rates, date, dates, time, times, id, code, status, list, lists, reason, " +
	"reasons, number, ratio, " +
	"column, field, indicator, type, share, percentage, percent, event, events, day, score, and, or, for, of, is, was, are, window, " +
	"period, marker, " +
	"option, setting, button, total, amount, key, name, page, if, level, mode, category, state, label, value, action, actions, " +
	"party, tale, me not")

// Imperatives are those of German, French and Spanish, and French and Spanish infinitives,
// which orders use too.
var Imperatives = Phrases(
	"ignoriere, ignorier, ignorieren sie, missachte, missachten sie, vergiss, vergesst, vergessen sie, umgehe, umgehen sie, "+
		"uberschreibe, ubergehe",
	"uberschreiben sie, ubergehen sie, verrate, verraten sie, verrat, enthulle, enthullen sie, offenbare, offenbaren sie, melde dich, "+
		"melden sie sich",
	"logge dich, log dich, loggen sie sich, klick, klicke, klicken sie, tippe auf, tippen sie auf, drucke auf, drucken sie auf, meldet "+
		"euch, klickt",
	"ignoriert bitte, schenke keine, schenken sie keine, setze dich uber, setzen sie sich uber, verwirf, verwerfen sie, lass alle, "+
		"lassen sie alle",
	"ignorez, ignore, ignorer, oubliez, oublie, oublier, negligez, negliger, meprisez, contournez, contourne, contourner, outrepassez, "+
		"outrepasser",
	"revelez, revele, reveler, devoilez, devoile, devoiler, divulguez, divulgue, divulguer, connectez vous, connecte toi, se connecter, "+
		"identifiez vous",
	"identifie toi, authentifiez vous, authentifie toi, cliquez, clique, cliquer, ne tenez pas compte, ne tenez aucun compte, ne tenez "+
		"plus compte",
	"ne tiens pas compte, ne tiens plus compte, ne tiens aucun compte, ne pas tenir compte, ne tenir aucun compte, faites abstraction, "+
		"fais abstraction",
	"faire abstraction, appuyez sur, appuie sur, passez outre, passe outre, faites fi, fais fi, loguez vous, logue toi, ouvrez une "+
		"session, vous connecter",
	"ignora, ignoren, ignorad, ignorar, olvida, olvide, olviden, olvidar, olvidate, olvidese, haz caso omiso, haga caso omiso, hacer "+
		"caso omiso",
	"no hagas caso, no haga caso, no tengas en cuenta, no tenga en cuenta, no tomes en cuenta, no tome en cuenta, descarta, desatiende, "+
		"desatienda",
	"omite, omita, revela, revele, revelar, divulga, divulgue, divulgar, desvela, desvele, desvelar, inicia sesion, inicie sesion, "+
		"iniciar sesion",
	"conectate, conectese, conectarte, identificate, identifiquese, haz clic, haga clic, hacer clic, haz click, haga click, pulsa, "+
		"pulse, pincha, pinche",
	"elude, eluda, saltate, saltese, clica, clique en, prescinde de, prescinda de, autenticate, autentiquese, accede con, acceda con, "+
		"hagan clic",
)

// Duties say who must or should, before an infinitive.
var Duties = dutiesOf()

func dutiesOf() []string {
	all := Phrases("vous devez, vous devriez, tu dois, tu devrais, vous allez, tu vas, vous pouvez, vous devrez, tu devras, il vous " +
		"faut, il te faut, " +
		"debes, debe usted, usted debe, tienes que, deberias, usted tiene que, deberas, hay que, usted deberia, necesitas")
	for _, who := range strings.Fields("you reader readers model assistant ai agent copilot chatbot bot llm") {
		for _, must := range []string{"must", "should", "shall", "have to", "has to", "need to", "needs to", "are to", "is to", "ought " +
			"to", "will",
			"can", "may", "are required to", "is required to", "are asked to", "are supposed to", "are expected to", "are free to", "are " +
				"allowed to",
			"are instructed to", "is instructed to", "are told to", "are obliged to", "are ordered to", "would", "could", "better",
			"had better"} {
			all = append(all, " "+who+" "+must+" ")
		}
	}
	return all
}

// Readers are who a text may order about, and Orders are what it has them do.
var (
	Readers = Set("you reader readers model assistant ai agent agents copilot chatbot bot llm")
	Orders  = Phrases("to ignore, to disregard, to forget, to reveal, to disclose, to divulge, to bypass, to override")
)

// Conjunctions join an order to a sentence about data. The verbs after Whom are about data.
var (
	Conjunctions = Phrases("and, then, but, und, dann, aber, et, puis, mais, y, luego, pero")
	Whom         = Phrases("who, that, which, whose, whom, where, when, if, die, der, das, welche, qui, que, dont, cuyo, cuya, not, never")
)

// Adverbs may stand between a duty and its verb.
var Adverbs = Phrases("always, also, now, please, first, then, immediately, simply, just, completely, fully, entirely, therefore, " +
	"only, instead, still, " +
	"d abord, toujours, absolument, donc, maintenant, vous, te, aussi, immediatement, siempre, ahora, primero, inmediatamente, tambien, " +
	"por favor, at once")

// Infinitives follow a duty in French and Spanish.
var Infinitives = Phrases(
	"ignorer, oublier, negliger, contourner, outrepasser, reveler, devoiler, divulguer, connecter, identifier, authentifier, cliquer, "+
		"faire abstraction",
	"ignorar, olvidar, omitir, revelar, divulgar, desvelar, iniciar sesion, conectarte, conectarse, identificarte, hacer clic, hacer "+
		"caso omiso, eludir",
	"pulsar, hacer click, saltarte, saltarse, descartar, contornar, passer outre, vous connecter, te connecter, vous identifier",
)

// Breaking are verbs of breaking rules, in their basic form.
var Breaking = Phrases(
	"ignore, disregard, forget, override, bypass, circumvent, violate, do not follow, don t follow, stop following, no longer follow, "+
		"do not obey",
	"don t obey, stop obeying, never follow, reveal, disclose, divulge, leak, print your, show your, repeat your, output your, tell me "+
		"your, show me your",
	"repeat the, print the system, output the system, show the system, ignoriere, vergiss, umgehe, befolge keine, befolgen sie keine, "+
		"folge keinen",
	"ne suis pas, ne suis plus, ne respecte pas, ne respecte plus, n obeissez pas, n obeissez plus, n obeis pas, n obeis plus",
	"ignorez, oubliez, contournez, ne suivez pas, ne suivez plus, ne respectez pas, ne respectez plus, ignorer, ignorar, ignora, "+
		"olvida, no sigas",
	"no siga, no obedezcas, no obedezca, deja de seguir, deje de seguir, deshazte de, abandon, drop, delete, erase, discard, cancel, "+
		"replace",
)

// Broken are their participles.
var Broken = Phrases("ignored, disregarded, forgotten, overridden, bypassed, circumvented, revealed, disclosed")

// Targets are what an AI reader was given, and never a part of the data.
var Targets = Set("instruction instructions guidelines prompt prompts systemprompt directives guardrails safeguards anweisung " +
	"anweisungen instruktion " +
	"instruktionen vorgaben consignes directives instrucciones instruccion indicaciones directrices regeln eingabeaufforderung")

// Surely are speakers that no description of data names before a colon.
var Surely = Set("assistant assistante asistente assistente assistent 助手")

// Set returns the words of a list.
func Set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// German orders are recognized by their last word.
var (
	GermanVerbs = Set("ignorieren missachten vergessen preisgeben verraten offenlegen offenbaren enthullen anmelden einloggen klicken " +
		"anklicken umgehen " +
		"ausblenden ubergehen bekanntgeben herausgeben uberschreiben verwerfen")
	GermanDuties = Phrases("du musst, musst du, du sollst, sollst du, du solltest, solltest du, du kannst, du darfst, sie mussen, sie " +
		"sollen, sie sollten, " +
		"sie konnen, sie durfen, ihr musst, ihr sollt, ihr solltet, der leser muss, die ki muss, das modell muss, der assistent muss, " +
		"die ki soll")
	GermanHeads = Set("bitte jetzt hier sofort einfach unbedingt zuerst")
	Relatives   = Set("die der das welche welcher denen deren wer wenn falls weil dass ob")
	Separable   = Set("gib gebt geben lege legen melde melden logge loggen")
	Particles   = Set("preis heraus offen bekannt ein an aus")
)

// Saying with its objects make an order to answer or to send, in a description.
var (
	Saying = Phrases("answer, respond, reply, say, list, show, print, output, display, give, tell, run, execute, call, visit, download, " +
		"install, enter, copy, " +
		"delete, send, email, forward, post, upload, transmit, share, export, write, state, repeat, translate, summarize, act, behave, " +
		"open, return")
	SayingWhat = Phrases("the secret, the hidden, the password, the passwords, passwords, every question, all questions, always, " +
		"never, only with, with only, me, us, your, the user, the reader, every " +
		"salary, all salaries, " +
		"everything, every, all, each, in the name, as if, as an, this to, these to, all data to, all rows to, the data to, the rows to, " +
		"the results to, any question, " +
		"yes to, no to, whatever, anything, the following, with yes, with no, it is, it s")
	SaysAll = Phrases("antworte, antworten sie, repondez, reponds toujours, responde siempre, responda siempre, reponds uniquement, " +
		"responde solo, " +
		"zeige mir, zeig mir, nenne mir, sende alle, senden sie alle, schicke alle, schicken sie alle, gib mir, geben sie mir, " +
		"donnez moi, donne moi, " +
		"montrez moi, montre moi, dites moi, dis moi, envoyez, muestrame, dame, enviame, dime, envieme, muestreme, always answer, always " +
		"respond, " +
		"only answer, never answer, always say, always reply, never filter, fuhre aus, fuhren sie, executez, ejecute, tell the, " +
		"tell them, tu so als")
)

// Followed are German imperatives that Denying turns into an order to break rules. Sending is an order with a receiver, Concealing
// one against the Users.
var (
	Followed   = Set("befolge befolgen befolgt folge folgen folgt beachte beachten beachtet")
	Denying    = Set("nicht kein keine keinen keiner nie niemals")
	Sending    = Phrases("send, email, forward, upload, transmit, mail")
	Concealing = Phrases("never mention, never tell, never show, never admit, do not mention, do not tell, do not show, do not admit, " +
		"don t mention, don t tell, don t show, don t admit")
	Users = Phrases("to the user, to users, to any user, to a user, to the reader, to anyone, the user, users, anyone")
)

// Phrases returns the phrases of a list, divided by commas, with a space at both ends.
func Phrases(lists ...string) []string {
	var all []string
	for _, list := range lists {
		for p := range strings.SplitSeq(list, ",") {
			all = append(all, " "+strings.TrimSpace(p)+" ")
		}
	}
	return all
}
