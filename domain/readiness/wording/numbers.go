package wording

import (
	"slices"
	"strings"
)

// The words of the names of numbers, by what the numbers are. The last of them in a name decides, as in "Rate Amount" and
// "Amount Rate".
var (
	addedUp = SetOf("amount,amounts,amt,qty,quantity,quantities,count,counts,cnt,total,totals,sum,sales,revenue,revenues,cost,costs,fee,fees," +
		"value,expense,expenses,spend,hours,minutes,seconds,days,weeks,months,years,units,volume,paid,payment,payments,refund,refunds," +
		"budget,target,quota,incentive,incentives,bonus,bonuses,commission,profit,tax,taxes,discount,discounts,salary,visits," +
		"orders,guests,points,variance,variances,difference,differences,savings")
	notAddedUp = SetOf("average,avg,mean,median,max,maximum,min,minimum,distinct,percentage,percent,pct,rate,ratio,rank,ranking,score,rating," +
		"grade,index,priority,flag,price,probability,temperature,latitude,longitude,lat,lon,code,id,key,sk,zip,postal,postcode,age,nr," +
		"number,no,type,level,version,order,ordinal,position,term,frequency,semester,hour,status,factor,multiplier,score,gpa,speed")
	periodsOfTime = SetOf("year,quarter,month,week,day,period")
	// lastOnly are words of notAddedUp that say what a number is only at the end of a name.
	lastOnly    = SetOf("type,level,version,order,ordinal,position,term,frequency,semester,hour,number,no,nr,code,id,key,age,status,factor")
	anywhere    = SetOf("average,avg,median,max,maximum,minimum,distinct,percentage,pct")
	shares      = SetOf("percentage,percent,pct")
	identifying = SetOf("id,sk,code")
	// listed are words before a plural that say what is counted: ID Checks, Zip Codes.
	listed   = SetOf("id,sk,code,zip,postal")
	relative = SetOf("this,last,current,previous,prior,next,in,of,during")
	counting = SetOf("no,nr,num,number,count")
	// pricedAll are words before "price" that say that it is a price of all pieces.
	pricedAll = SetOf("total,extended,line,gross")
	pricedOne = SetOf("unit,standard")
)

// Unadded returns the word of a number's name that says that its values do not add up: rates, ranks, scores, prices, flags, codes
// and parts of dates, in English also for a name in another language that it knows. It returns "" for a name that says nothing of this
// kind, or that they do, as those of amounts and counts.
func Unadded(words []string) string {
	words = InEnglish(words)
	if at := slices.Index(words, "at"); at > 0 && addedUp.Meets(words[:at]) {
		words = words[:at] // what an amount is computed with
	}
	if n := len(words); n > 1 && words[n-2] == "in" && !shares[words[n-1]] || n > 2 && words[n-2] == "on" && words[n-1] == "order" ||
		n > 2 && periodsOfTime[words[n-1]] && relative[words[n-2]] {
		words = words[:n-2] // a unit, what is on order, or an amount of this month
	}
	if len(words) > 1 && counting[words[0]] && !lastOnly[words[1]] && (words[1] == "of" || words[1][len(words[1])-1] == 's') {
		return "" // a number of things
	}
	if w := anywhere.FirstOf(words); w != "" && !periodsOfTime[LastWord(words)] {
		return w
	}
	if len(words) > 1 && (words[0] == "total" || words[0] == "sum") {
		return ""
	}
	for i, w := range slices.Backward(words) {
		last := i == len(words)-1
		if !last && listed[w] && isPlural(words[i+1]) {
			return ""
		}
		switch {
		case i > 0 && w == "per":
			return w
		case w == "cost" && i > 0 && pricedOne[words[i-1]], w == "value" && i > 0 && words[i-1] == "unit",
			w == "price" && i > 0 && !pricedAll[words[i-1]]:
			return words[i-1] + " " + w
		case addedUp[w] && !slices.Contains(words[:i], "per"), w == "price" && i > 0:
			return ""
		case periodsOfTime[w] && (last || i == 0 || lastOnly[words[i+1]] || periodsOfTime[words[i+1]] || relative[words[i+1]]),
			notAddedUp[w] && (last || !lastOnly[w] || i == 0 && identifying[w]):
			return w
		}
	}
	return ""
}

// isPlural reports whether a word looks like a plural.
func isPlural(w string) bool {
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && w != "status" && w != "class"
}

// The words of names that say that rows count the same things again on each day, and those of what happened once.
var (
	stockTables = SetOf("snapshot,snapshots,stock,stocks,inventory,inventories,balance,balances,headcount,headcounts,holdings,holding,positions," +
		"bestand,bestände,lagerbestand,lagerbestände,estoque,estoques,saldo,saldos,saldi,existencias,soldes,voorraad,giacenze")
	stockColumns = SetOf("stock,inventory,headcount,fte,ftes,balance,held,outstanding,backlog,onhand,closing,opening," +
		"bestand,bestandsmenge,lagerbestand,lagerwert,anfangsbestand,endbestand,kontostand,saldo,estoque,existencias,solde,encours,voorraad,giacenza")
	eventNames = SetOf("movement,movements,transaction,transactions,entry,entries,receipt,receipts,adjustment,adjustments,posting,postings," +
		"journal,order,orders,ordered,hires,leavers,sale,sales,sold,purchase,purchases,purchased,delivery,deliveries,shipments,shipped,change," +
		"delta,in,out,received,added,days,price,turns,turnover,bewegung,bewegungen,lagerbewegungen,buchungen,movimento,movimentos," +
		"movimentações,movimiento,movimientos,mouvements,mutaties,movimenti,entradas,saídas,salidas")
)

// StockWord returns the word of a table's or a column's name that says that the column's values are a stock, as pieces held or a
// balance, which does not add up over days; "" for others.
func StockWord(table, column []string) string {
	for i := 1; i < len(column); i++ {
		if column[i-1] == "on" && column[i] == "hand" {
			return "on hand"
		}
	}
	if w := stockColumns.FirstOf(column); w != "" && !eventNames.Meets(column) && !eventNames.Meets(table) {
		return w
	}
	if w := stockTables.FirstOf(table); w != "" && !eventNames.Meets(table) && !eventNames.Meets(column) {
		return w
	}
	return ""
}
