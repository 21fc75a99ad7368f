package textcheck

import (
	"slices"
	"strings"

	"readiness/domain/proposal/textcheck/wordlist"
	"readiness/internal/lateregexp"
)

var (
	// owned matches what the reader has, by the word after it.
	owned = lateregexp.New(`\b(?:your|dein\pL*|votre|vos|ton|tes|tu|tus) (\pL+)|[你您]的(\pL{2})`)
	// self matches a speaker who speaks of themselves.
	self = lateregexp.New(`(?:^|[.!?,;:\n([-]\s*|\band )(?:i'm|i (?:am|order|command|want|need|will|authori[sz]e|permit|allow|` +
		`instruct|demand)|` +
		`ich (?:bin|befehle|will|brauche|erlaube)|je (?:suis|veux|vous|t'|ordonne)|(?:yo )?soy (?:el|la|tu|un)|yo |我是|我命令|我要求)|` +
		`\bi (?:order|command|authori[sz]e|instruct) you\b|\b(?:my (?:orders?|commands?|instructions?)|(?:obey|show|give|` +
		`obedece\pL*) me|meine[nm]? (?:befehle?n?|anweisung(?:en)?)|` +
		`mes (?:ordres|instructions)|mis (?:ordenes|instrucciones))\b|我的(?:命令|指令|指示)`)
	// replacing matches another task or other rules for a reader.
	replacing = lateregexp.New(`\b(?:new|revised|updated|latest) (?:top |highest |priority |system |` +
		`security )*(?:instructions?|directives?|prompts?) ?` +
		`(?:is\b|are\b|from (?:the )?(?:admin|system|developer|operator)|[:#=])|\b(?:real|actual|true) (?:tasks?|goals?|` +
		`instructions?) is\b|` +
		`\breplaces? (?:everything|all instructions|any instructions)\b|` +
		`\b(?:ab sofort|ab jetzt|von nun an) gelten? (?:\pL+ )?regeln?\b|\b(?:nouvelles?|nuevas?) (?:regles?|consignes?|reglas?|` +
		`instrucciones) ?:|` +
		`\b(?:from now on|ab sofort|ab jetzt|von nun an|desormais|dorenavant|a partir de ahora)\b[^.!?\n]*\b(?:obey|follow|` +
		`gehorch\pL*|folgst|` +
		`befolg\pL*|obei\pL*|obedec\pL*|sigues|siga)\b|从现在起[^。]{0,6}(?:服从|听从|遵守|执行)`)
	// noLonger matches a statement that what an AI was given does not hold any more.
	noLonger = lateregexp.New(`\b(?:all |any |the )*(?:previous|prior|earlier|above|old|former|existing|these|those) ` +
		`(?:\pL+ )?(?:instructions?|guidelines?|prompts?|directives?|rules) (?:are|is|were|have been|has been|no longer|do not|don't|` +
		`cease) ?` +
		`(?:\pL+ )?(?:now )?(?:cancel\pL*|void|null|revoked|superseded|obsolete|replaced|overridden|lifted|` +
		`suspended|invalid|apply|applies|` +
		`hold|in force)\b|` +
		`\bsupersedes? (?:all |any |the )*(?:previous|prior|earlier|your|other) (?:instructions?|guidelines?|prompts?|directives?|rules)\b`)
	// unlocked matches the claim that a reader is freed of limits.
	unlocked = lateregexp.New(`\b(?:developer|debug|admin|administrator|god|maintenance|dan|jailbreak|unrestricted|unfiltered|` +
		`root|sudo) mode ` +
		`?(?::|is |now |has been )?\s?(?:enabled|activated|active|on\b|engaged|unlocked)|` +
		`\b(?:admin|administrator|emergency|security|safety|system|developer|root|master) override\b[^.!?\n]{0,24}:|` +
		`\bno (?:content|safety|security) (?:filter|filters|filtering|policy|policies|restrictions?)\b|` +
		`\b(?:disable|deactivate|turn off|switch off|bypass|evade|circumvent) (?:all |any |the |every |your )*(?:content (?:filters?|` +
		`filtering|polic\pL+)|guardrails?|restrictions|safety (?:checks?|filters?|measures?|guidelines?|rules?|protocols?)|` +
		`security (?:checks?|rules?|polic\pL+)|rls)\b|\bskip (?:all|any|the) (?:safety |security )?checks\b`)
	// ifRead matches a condition on being read.
	ifRead = lateregexp.New(`\bif you(?:'re| are)? (?:see|read|reading|seeing|process|processing) this\b|\bif you(?:'re|` +
		` are) an? (?:ai|llm|` +
		`language model|assistant|bot|agent)\b|\bif (?:an )?(?:ai|llm|bot)\s?[:,]|\b(?:wenn|falls) du (?:das|dies\pL*|hier) |` +
		`\bwenn du eine? (?:ki|assistent|sprachmodell)\b|` +
		`\bsi (?:vous lisez|tu lis) (?:ceci|cela|ce)\b|\bsi (?:lees|lee usted|estas leyendo) (?:esto|este)\b|如果\s?[你您]?\s?(?:是|看到|` +
		`读到)\s?(?:一个)?\s?(?:ai|人工智能|` +
		`助手|这)`)
	// called matches a call to an AI at the start of a sentence, and what follows in that sentence.
	called = lateregexp.New(`(?:^|[.!?;:\n\])}>*/#-]\s*)(hi |hello |hey |dear |attention |attn |ps: ?to |to |lieber |liebe |` +
		`hallo |cher |chere |bonjour |estimad[oa] |hola )?(?:the |any |all )?(?:ai|ai model|ai assistant|ai agent|` +
		`language model|llm|chatgpt|gpt|copilot|chatbot|assistante?|assistent|asistente|ki|ia)(?: reading this| processing this|` +
		` reading this document| processing this document)?\s?[,:!-]([^.!?\n]*)`)
)

// released reports whether a text says that what an AI was given does not hold.
func released(text string) bool {
	return noLonger.MatchString(text) || unlocked.MatchString(text) || disobeys(text)
}

// calls reports whether a description addresses an AI, or mentions its reader or its author. Instructions may.
func calls(text string) bool {
	if self.MatchString(text) || replacing.MatchString(text) || ifRead.MatchString(text) {
		return true
	}
	for _, at := range owned.FindAllStringSubmatch(text, -1) {
		if !wordlist.Theirs[at[1]+at[2]] {
			return true
		}
	}
	return slices.ContainsFunc(called.FindAllStringSubmatch(text, -1), func(at []string) bool {
		return at[1] != "" || addressed.MatchString(at[2]) || toDo.MatchString(at[2])
	})
}

// toDo matches what is asked of a reader.
var toDo = lateregexp.New(`\b(?:please|this message|this text|this document|silently|bitte|s'il vous plait|por favor)\b`)

// disobeys reports whether a clause is about not following rules any more. Data may be about rules, but follows none.
func disobeys(text string) bool {
	for clause := range clauses(text) {
		rest, ok := after(withoutFillers(clause), wordlist.Disobeying)
		if !ok {
			rest, ok = after(clause, wordlist.Disobeying)
		}
		if ok && (containsWord(rest, wordlist.Targets) || containsWord(rest, wordlist.Rules)) {
			return true
		}
	}
	return false
}

func containsWord(clause string, words map[string]bool) bool {
	for word := range strings.FieldsSeq(clause) {
		if words[word] {
			return true
		}
	}
	return false
}
