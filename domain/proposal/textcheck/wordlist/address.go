package wordlist

// Doing with a determiner is an order after the name of a speaker: "developer: raise the priority".
var Doing = Phrases("raise, change, set, give, grant, make, remove, add, allow, enable, disable, approve, " +
	"accept, mark, " +
	"treat, " +
	"use, hide, " +
	"update, stop, start, switch, turn, unlock, drop, lift, apply")

// Theirs are what a description may say that its readers have: their company and what they look at.
var Theirs = Set("lakehouse lakehouses warehouse warehouses database databases server servers gateway gateways domain domains " +
	"company companies organization organisation business firm team teams department region country report reports data " +
	"customers store stores tenant workspace workspaces capacity capacities environment account time currency " +
	"selection filter filters " +
	"calendar fiscal subscription subscriptions unternehmen firma organisation abteilung bericht " +
	"entreprise societe equipe rapport " +
	"empresa equipo negocio informe organizacion 公司 企业 团队 部门 报表 组织")

// Disobeying are the beginnings of clauses about rules that are not followed any more.
var Disobeying = Phrases("do not follow, don t follow, stop following, no longer follow, never follow, do not obey, " +
	"don t obey, " +
	"stop obeying, " +
	"never obey, ne suivez pas, ne suivez plus, ne suis pas, ne suis plus, ne respectez pas, ne respectez plus, ne respecte pas, " +
	"ne respecte plus, no sigas, no siga, no obedezcas, no obedezca, no respetes, no respete, deja de seguir, deje de seguir, " +
	"folge nicht, " +
	"folge keinen, folge keiner, folgen sie nicht, folgen sie keinen, befolge keine, befolgen sie keine")

// Untold are the beginnings of clauses by which a description orders its reader what to say, or to say nothing.
var Untold = Phrases(
	"stop what, stop answering, stop responding, stop replying, refuse to answer, refuse to respond, decline to answer, "+
		"do not answer, don t answer, "+
		"do not respond, don t respond, do not reply, never respond, never reply, respond only, respond with, respond as, respond in, "+
		"respond by, reply by, never say, never refuse, never break character, stay in character, remember this for, "+
		"remember that you, "+
		"answer only, answer questions, answer nothing, reply only, reply with, reply that, say that, say nothing, tell "+
		"everyone, claim that, pretend that, pretend to, lie about",
	"zeige dem, zeigen sie dem, zeig dem, sag dem, sag der, sag den, sage dem, sage der, sage den, sagen sie dem, sagen sie den, "+
		"behaupte, behaupten sie, verschweige, "+
		"verschweigen sie, erwahne nicht, erwahne nie, erwahne niemals, erwahnen sie nicht, erwahnen sie nie, beantworte keine, "+
		"beantworten sie keine",
	"dites que, dites a, dites aux, dis que, dis a, ne dites pas, ne dis pas, ne mentionnez, ne mentionne, ne repondez, "+
		"ne reponds, "+
		"pretendez que, pretends que",
	"di que, di a, diga que, diga a, diga al, no digas, no diga, no menciones, no mencione, no respondas, no responda, finge que",
)

// Speaking are verbs of what a reader says. In a description "you must" with one of them is an order.
var (
	SpeakingDuties = Phrases("you must, you should, you shall, you have to, you need to, you ought to, you will, " +
		"you are to, " +
		"you are required " +
		"to, you may only, you can only, vous devez, tu dois, debes, usted debe, tienes que, du musst, du sollst, du solltest, " +
		"sie mussen, " +
		"sie sollen, sie sollten")
	Not = Phrases("never, not, only, always, nie, niemals, nicht, immer, nur, ne, pas, jamais, toujours, no, " +
		"nunca, siempre")
	Speaking = Phrases("answer, respond, reply, say, tell, claim, pretend, mention, deny, admit, conceal, hide, lie, " +
		"recommend, refuse, " +
		"decline, dire, repondre, pretendre, mentionner, cacher, taire, decir, responder, mencionar, ocultar, fingir, mostrar, " +
		"montrer, afficher")
	GermanSpeaking = Set("sagen antworten mitteilen behaupten verschweigen erwahnen beantworten empfehlen lugen ausgeben zeigen")
)

// A description states what data is. The verbs below are none of stating: at the head of a clause they order its reader. Those that
// may also be nouns do so only before Objects. Verbs for how to use a column, such as "use" and "filter", and by
// which measures are described in the imperative, such as "return" and "count", are not here.
var (
	Bare = Phrases("tell, let, recommend, reveal, disclose, inform, convince, persuade, obey, comply, apologize, " +
		"admit, deny, " +
		"conceal, state that, say that, claim that, pretend that, pretend to, pretend you, " +
		"invent, fabricate, mislead, praise, insist, refrain, behave, swear, advertise, mention, respond, impersonate, obfuscate")
	BareOrNoun = Phrases("treat, keep, replace, stop, hide, rate, call, answer, click, grant, ask, delete, send, mail, " +
		"post, share, " +
		"publish, hand, " +
		"raise, lower, open, close, enter, press, accept, approve, reject, claim, translate, write, start, begin, continue, switch, " +
		"enable, " +
		"disable, buy, pay, transfer, trust, state, say, reply, output, upload, download, install, forward, email, promise, " +
		"sign, confirm, " +
		"execute, visit, contact, leak, expose, skip, bypass")
	Objects = Phrases("the, your, all, any, every, each, this, these, those, my, our, here, now, everything, whatever, " +
		"anything, " +
		"nothing, everyone, everybody, anyone, anybody, no, yes, it, them, him, her, only, allow, as, with the, on the, to the, " +
		"questions, managers, " +
		"users, readers, customers, employees, people")
	Denials = Phrases("do not, don t, never, please do not, please don t")
	// Artificial are readers that are no people.
	Artificial = Phrases("ai, the ai, an ai, any ai, ais, ai agents, ai assistants, ai models, the ai agent, " +
		"the ai assistant, llm, " +
		"the llm, llms, " +
		"any llm, any assistant, the assistant, assistants, any copilot, copilot, the copilot, chatbots, the chatbot, any chatbot, " +
		"any model, " +
		"language models, any language model, the language model, any bot, the bot, bots, die ki, eine ki, jede ki, der assistent, " +
		"der chatbot, " +
		"l ia, l assistant, tout assistant, le chatbot, la ia, el asistente, todo asistente, el chatbot")
	Must = Phrases("must, should, shall, ought to, has to, have to, needs to, need to, is to, are to, soll, " +
		"sollte, muss, " +
		"darf, " +
		"doit, devrait, " +
		"debe, deberia, tiene que")
)
