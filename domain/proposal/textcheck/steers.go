package textcheck

import "readiness/internal/lateregexp"

// steers matches what turns an answer away from the data, or conceals something from the person who asks.
var steers = lateregexp.New(`\b(?:regardless of|whatever|despite) (?:what )?the (?:data|facts?|numbers?|figures?|truth|model)\b|` +
	`\bwithout (?:telling|informing|warning|notifying|mentioning)\b|` +
	`\b(?:and|but|,) ?(?:do not|don't|never) (?:mention|explain|disclose|tell|reveal|say (?:so|why|that))\b|` +
	`\b(?:make|be) sure (?:that )?(?:all |any |every |the |your )?(?:answers?|replies|responses?)\b|` +
	`\b(?:disregarded|ignored|followed|obeyed|discarded|believed|trusted) by (?:the |any |every )?(?:ai|assistants?|models?|readers?|` +
	`copilot|agents?|bots?|chatbots?|llms?)\b|` +
	`\b(?:avant de repondre|antes de (?:responder|contestar)|bevor (?:du|sie) [^.;]{0,30}(?:antworte|nenn)|vor (?:der|jeder) antwort)|` +
	`^anweisung (?:mit|von|fur|an)\b`)
