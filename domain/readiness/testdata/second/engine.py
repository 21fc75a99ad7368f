"""Regime 2026-12 from the pages regime.md C (+C.9) and regime-2026-12.md, with the departures P1 to P22 of docs/regime-precision.md.
Written without any look at the Go code."""
import json, math, re
from collections import Counter
from text import *
from text import norm, words, lower, upper
from dax import *
from dax import Dax, yields_text, unsafe_division, counts_rows, plain_count, result_call, header, literal

TABLE, COLUMN, MEASURE, ITEM, REL, OTHER = 0, 1, 2, 3, 4, 5
KINDNAME = ['table', 'column', 'measure', 'calculation_item', 'relationship', 'model']
PARITY = True      # follow the other side where the page does not decide, or where it was found in DIFFERENCES.md (so that further differences show)
NUMERIC = ('int64', 'decimal', 'double')

DIMS = ['descriptions', 'naming', 'measures', 'types', 'relationships', 'visibility', 'instructions', 'synonyms', 'time', 'agent']
W_MODEL = dict(zip(DIMS, [14, 14, 15, 7, 15, 14, 13, 3, 5]))
W_AGENT = dict(zip(DIMS, [14, 12, 14, 5, 13, 16, 15, 2, 4, 5]))

# rule: dimension, k, severity, defect
RULES = {}
def R(dim, spec):
    for line in spec.split():
        rid, k, sev = line.split(':')[:3]
        RULES[rid] = (dim, float(k), sev, line.endswith(':defect'))
R('descriptions', 'DSC-01:2:m DSC-02:3:m DSC-03:4:m DSC-04:3:m DSC-05:1:l DSC-06:1:m DSC-07:1:m')
R('naming', 'NAM-01:3:m NAM-02:2:m NAM-03:2:l NAM-04:2:l NAM-05:1:l NAM-06:2:m NAM-07:1:l')
R('measures', 'MEA-01:3:h MEA-02:2:m MEA-03:3:m MEA-04:2:l MEA-05:2:m MEA-06:1:l MEA-07:4:h:defect MEA-08:1:l')
R('types', 'TYP-01:1:l TYP-02:3:m TYP-03:2:m TYP-04:2:m TYP-05:1:l TYP-06:1:l TYP-07:1:l')
R('relationships', 'REL-01:3:h REL-02:3:h REL-03:2:m REL-04:2:m REL-05:2:m REL-06:1:l REL-07:2:m REL-08:3:h:defect REL-09:2:m')
R('visibility', 'VIS-01:3:h VIS-02:3:m VIS-03:2:m VIS-04:2:m VIS-05:2:m VIS-06:1:l VIS-07:3:h:defect')
R('instructions', 'INS-01:4:h INS-02:2:m INS-03:2:m INS-04:2:m INS-05:2:m INS-06:1:m INS-07:2:l INS-08:1:l INS-09:1:m INS-10:4:h INS-11:1:m')
R('synonyms', 'SYN-01:1:l SYN-02:1:m')
R('time', 'TIM-01:3:h TIM-02:1:l TIM-03:2:m TIM-04:2:m TIM-05:1:l TIM-06:1:l')
R('agent', 'AGT-01:3:m AGT-02:2:m AGT-03:1:l AGT-04:1:l AGT-05:1:l AGT-06:1:m:defect')
RULE_IDS = sorted(RULES)
SEVN = {'h': 2, 'm': 1, 'l': 0}
SEVS = ['low', 'medium', 'high']

ALLOW = set('''ytd mtd qtd wtd py pm ly lm lq yy mm kpi sku nps crm hr vs vat gdp pct usd gbp chf cfo pdf url id
sql xml json csv html http https url uri dns tcp udp ip vpn ssl tls ssh ftp vm vms cpu gpu ram ssd hdd os db dw dwh bi ml llm kb mb gb tb pb ms ns hz khz mhz ghz kw kwh mwh
sdk rls ols crud gps sms pos b2b b2c rfm nlp pdf png svg gmt utc cst cet hq hrs io kg km cm ml mrr arr cltv ltv cac cpc cpm ctr roi rpm p&l wbs fte ftes ttm fy ny qoq mom yoy wow std dtd bps avg min max qty r&d q&a m&a vcpu api ai ui iso us uk eu erp etl sla kql mdx dax graphql guid uuid'''.split())
FRAME = set('''the a an of for to in on by with from and or per each every all one its their this that these which is are was be used use uses using group groups filter filters slice show shows give gives tell tells hold holds contain contains store stores
column columns table tables measure measures field fields row rows value values name names record records data information as at it has have when where whether true false point time total current calculates returns represents provides specifies indicates describes displays details associated related identifier id identifiers if can split also'''.split())
TYP02 = set('id key sk code no nr year month week day quarter zip postal postcode latitude longitude lat lon rank index rate ratio percent pct age'.split()) | set('average avg median max minimum distinct percentage'.split())
TYP02LAST = set('semester hour type level version index order ordinal position number term frequency temperature'.split())
TYP03 = set('amount qty quantity price cost costs revenue total count pct percent percentage % rate ratio bytes rows'.split())
TYP06 = set('country city province county continent zip postcode postal'.split())
VIS02 = set('sk guid uuid etl checksum rowid audit loaddate'.split())          # hash and batch: P17
HASHWITH = set('row record key id value diff md5 sha sha1 sha256 bk nk pk'.split())
BATCHWITH = set('load etl run insert ingestion import export'.split())
M2MKEY = set('key id sk fk guid uuid'.split())
P1UNIT = set('hours minutes seconds days bytes kb mb gb ms km kg year month week day quarter hour age id key latitude longitude lat lon sec secs percent pct version'.split())
P2PLACE = set('continent country region state province county city district location geography latitude longitude lat lon zip postcode postal'.split())
P20TYPE = dict(string='string', integer='int64', double='double', currency='decimal', boolean='boolean', datetime='datetime')
FLAG = ('is', 'has', 'in')
P1KIND = set('type kind class group status state stage level code flag mode segment band grade channel source scope'.split())
P5LOADED, P5NEXT = {'loaded', 'ingested', 'exported'}, {'date', 'time', 'timestamp', 'period', 'at'}
P5FINAL = set('date datetime time timestamp day key id sk'.split())
P5ENDS = set('start end begin from to submit'.split())
P9ID = set('id ids key guid uuid'.split())
P11KEY = set('id key code cd no nr number'.split())
P3SHOWN = set('selected selection tooltip url link mail mailto html svg icon colour color title label'.split())
P17CODE = set('code cd no nr number'.split())
P14PART = set('date day dow week wk month mth quarter qtr year yr fiscal period'.split())
P15STAMP = set('modified updated changed refreshed loaded'.split())
REACHED = Counter()     # how often a departure made a difference to an object; gen.py --reached prints it
DATEWORDS = {'date', 'dates', 'calendar'}
DATECOLS = 'date day week month quarter qtr year fiscal period semester holiday season'.split()
TIMFN = set(map(str.lower, 'TOTALYTD, TOTALQTD, TOTALMTD, DATESYTD, DATESQTD, DATESMTD, SAMEPERIODLASTYEAR, DATEADD, PARALLELPERIOD, DATESINPERIOD, PREVIOUSYEAR, PREVIOUSMONTH'.split(', ')))

def forms(w):
    f = {w, w + 's', w + 'es'}
    if w.endswith('s'): f.add(w[:-1])
    if w.endswith('es'): f.add(w[:-2])
    if w.endswith('ies'): f.add(w[:-3] + 'y')
    if w.endswith('y'): f.add(w[:-1] + 'ies')
    f.discard('')
    return f

def last_word(name):
    ws = words(name)
    return ws[-1] if ws else ''

def next_to(ws, A, B):
    """a word of A directly next to one of B"""
    return any((a in A and b in B) or (b in A and a in B) for a, b in zip(ws, ws[1:]))

class Obj:
    pass

# ---------------------------------------------------------------- model index
class Model:
    """m: plain dict as load.py makes it"""
    def __init__(self, m):
        self.src = m
        self.notvisible = bool(m.get('not_visible'))
        self.functions = {lower(f) for f in m.get('functions') or []}
        self.all_tables = []
        for td in m['tables']:
            t = Obj(); t.kind = TABLE
            t.d = td; t.name = td['name']; t.n = norm(t.name); t.hidden_own = bool(td.get('hidden'))
            t.hidden = t.hidden_own
            ann = td.get('annotations') or []
            t.auto = t.name.startswith('LocalDateTable_') or t.name.startswith('DateTableTemplate_') or \
                '__PBI_LocalDateTable' in ann or '__PBI_TemplateDateTable' in ann
            t.private = bool(td.get('private'))
            t.dropped = t.auto or t.private
            t.desc = td.get('description') or ''
            t.dataCategory = td.get('dataCategory') or ''
            parts = td.get('partitions') or []
            t.calculated = any(lower(p.get('type') or '') == 'calculated' for p in parts)
            t.calcexprs = [p.get('expression') or '' for p in parts if lower(p.get('type') or '') == 'calculated']
            t.calcgroup = td.get('calcGroup') is not None
            t.table = t
            t.columns, t.measures, t.items, t.rownum = [], [], [], set()
            given = {}
            for e in t.calcexprs:
                for n, kind in header(Dax(e).toks): given.setdefault('[' + lower(n) + ']', P20TYPE.get(kind, ''))
            for cd in td.get('columns') or []:
                if cd.get('rowNumber'): t.rownum.add(norm(cd['name'])); continue
                c = Obj(); c.kind = COLUMN; c.d = cd; c.table = t; c.name = cd['name']; c.n = norm(c.name)
                c.hidden_own = bool(cd.get('hidden')); c.hidden = c.hidden_own or t.hidden
                c.desc = cd.get('description') or ''
                c.type = lower(cd.get('dataType') or '')
                if not c.type and given.get(lower(cd.get('sourceColumn') or '')): c.type = given[lower(cd['sourceColumn'])]; REACHED['P20'] += 1
                if not c.type and t.calculated and cd.get('sourceColumn') == '[Date]': c.type = 'datetime'
                c.summarize = lower(cd.get('summarizeBy') or '') or 'default'
                c.isKey = bool(cd.get('isKey')); c.numeric = c.type in NUMERIC
                c.calc = cd.get('expression') is not None
                c.dax = Dax(cd.get('expression')) if c.calc else None
                t.columns.append(c)
            for md in td.get('measures') or []:
                x = Obj(); x.kind = MEASURE; x.d = md; x.table = t; x.name = md['name']; x.n = norm(x.name)
                x.hidden_own = bool(md.get('hidden')); x.hidden = x.hidden_own or t.hidden
                x.desc = md.get('description') or ''
                x.expr = md.get('expression') or ''
                x.dax = Dax(x.expr)
                t.measures.append(x)
            if t.calcgroup:
                for it in td['calcGroup'] or []:
                    x = Obj(); x.kind = ITEM; x.table = t; x.item = it['name']; x.expr = it.get('expression') or ''
                    x.dax = Dax(x.expr)
                    t.items.append(x)
            self.all_tables.append(t)
        ob = lambda o: o.name.encode()
        if PARITY:
            self.all_tables.sort(key=ob)
            for t in self.all_tables: t.columns.sort(key=ob); t.measures.sort(key=ob)
        self.tables = [t for t in self.all_tables if not t.dropped]
        self.has_auto = any(t.auto for t in self.all_tables)
        self.columns = [c for t in self.tables for c in t.columns]
        self.measures = [x for t in self.tables for x in t.measures]
        self.items = [x for t in self.tables for x in t.items]
        # look-ups
        self.t_low, self.t_norm, self.t_exact = {}, {}, {}
        for t in self.tables:
            self.t_low.setdefault(lower(t.name), t); self.t_norm.setdefault(t.n, t); self.t_exact.setdefault(t.name, t)
        self.file_norm = {}
        self.file_exact = {}
        for t in self.all_tables:
            self.file_norm.setdefault(t.n, []).append(t); self.file_exact.setdefault(t.name, []).append(t)
        for t in self.tables:
            t.c_low, t.c_norm, t.m_low, t.m_norm, t.c_exact = {}, {}, {}, {}, {}
            for c in t.columns:
                t.c_low.setdefault(lower(c.name), c); t.c_norm.setdefault(c.n, c); t.c_exact.setdefault(c.name, c)
            for x in t.measures:
                t.m_low.setdefault(lower(x.name), x); t.m_norm.setdefault(x.n, x)
        self.m_low, self.m_norm_all, self.c_norm_all = {}, {}, {}
        for x in self.measures:
            self.m_low.setdefault(lower(x.name), x); self.m_norm_all.setdefault(x.n, []).append(x)
        for c in self.columns: self.c_norm_all.setdefault(c.n, []).append(c)
        self.relationships()
        self.resolve_dax()
        self.schema()
        self.X_model = self.exposed()
        self.structure()
        self.texts()
        self.synonyms_load()
        self.usage_load()
        self.instructions_load()

    # -- relationships
    def relationships(self):
        self.rels, self.broken_rels = [], []
        for rd in self.src.get('relationships') or []:
            ft, fc, tt, tc = rd['fromTable'], rd['fromColumn'], rd['toTable'], rd['toColumn']
            r = Obj(); r.kind = REL
            r.label = f'{ft}[{fc}] -> {tt}[{tc}]'; r.ftname = ft
            a, b = self.find_table(ft), self.find_table(tt)
            if any(t is not None and t.dropped for t in (a, b)): continue
            r.ft, r.tt = a, b
            r.fc = self.find_column(a, fc) if a else None
            r.tc = self.find_column(b, tc) if b else None
            gone = [t is None or not (c or (PARITY and norm(n) in t.rownum)) for t, c, n in ((a, r.fc, fc), (b, r.tc, tc))]
            if not any(gone) and not (r.fc and r.tc): continue      # an end at a row-number column is there, but joins nothing
            if any(gone):
                self.broken_rels.append(r); continue
            r.active = rd.get('active', True) is not False
            r.both = lower(rd.get('crossFilter') or '') == 'bothdirections'
            fcard = lower(rd.get('fromCardinality') or '') or 'many'
            tcard = lower(rd.get('toCardinality') or '') or 'one'
            r.fmany, r.tmany = fcard == 'many', tcard == 'many'
            r.m2m = r.fmany and r.tmany; r.o2o = not r.fmany and not r.tmany
            # (column, many?, other column, other many?)
            r.ends = ((r.fc, r.fmany, r.tc, r.tmany), (r.tc, r.tmany, r.fc, r.fmany))
            self.rels.append(r)
        self.active = [r for r in self.rels if r.active]
        self.rel_ends = set()
        for r in self.rels: self.rel_ends.add(r.fc); self.rel_ends.add(r.tc)

    def find_table(self, name):
        l = self.file_exact.get(name)
        if not l:
            l = [t for t in self.all_tables if lower(t.name) == lower(name)]
        if not l: return None
        for t in l:
            if not t.dropped: return t
        return l[0]

    def find_column(self, t, name):
        if t.dropped: return None
        c = t.c_exact.get(name)
        return c if c is not None else t.c_low.get(lower(name))

    def key(self, c): return c.isKey or c in self.rel_ends

    # -- DAX references
    def resolve(self, ref, home):
        """C.9 11; home None in a calculation item"""
        t, name, _ = ref
        n = lower(name)
        if t is not None:
            tab = self.t_low.get(lower(t))
            if tab is None: return None
            return tab.c_low.get(n) or tab.m_low.get(n)
        x = self.m_low.get(n)
        if x is not None: return x
        return home.c_low.get(n) if home is not None else None

    def resolve_dax(self):
        for x in self.measures:
            x.refs = []
            seen = set()
            x.bare_own = False
            for ref in x.dax.refs:
                o = self.resolve(ref, x.table)
                if o is None: continue
                if ref[0] is None and o.kind == COLUMN: x.bare_own = True
                if o not in seen: seen.add(o); x.refs.append(o)
        self.ref_by_measures = set()
        for x in self.measures: self.ref_by_measures.update(x.refs)
        for it in self.items:
            it.refs = [o for o in (self.resolve(r, None) for r in it.dax.refs) if o is not None]

    # -- schema.json, X
    def schema(self):
        self.sch = {}           # obj -> visibility or None
        self.sch_syn = {}
        s = self.src.get('schema')
        if isinstance(s, str):
            try: s = json.loads(s.lstrip('\ufeff'))
            except Exception: s = None
        if not isinstance(s, dict) or self.notvisible: s = None
        self.configured = False
        if s is None: return
        seen_t = set()
        def vis(e):
            v = e.get('visibility')
            return v
        for te in s.get('tables') or []:
            if not isinstance(te, dict) or not isinstance(te.get('name'), str): continue
            tn = norm(te['name'])
            if tn in seen_t: continue
            seen_t.add(tn)
            t = self.t_norm.get(tn)
            if t is None: continue
            self.sch[t] = vis(te)
            self.sch_syn[t] = [x for x in te.get('synonyms') or [] if isinstance(x, str)]
            for member, those in (('columns', t.columns), ('measures', t.measures)):
                seen = set()
                for e in te.get(member) or []:
                    if not isinstance(e, dict) or not isinstance(e.get('name'), str): continue
                    n = norm(e['name'])
                    if n in seen: continue
                    seen.add(n)
                    for o in those:         # of names that are equal under norm, each (DIFFERENCES C26)
                        if o.n != n: continue
                        self.sch[o] = vis(e)
                        self.sch_syn[o] = [x for x in e.get('synonyms') or [] if isinstance(x, str)]
            t.hier_vis = {}
            for e in te.get('hierarchies') or []:
                if not isinstance(e, dict) or not isinstance(e.get('name'), str): continue
                t.hier_vis.setdefault(norm(e['name']), vis(e))
        self.configured = any(v in ('Visible', 'Hidden') for v in self.sch.values())

    def in_x_field(self, o):
        if not self.configured: return not o.hidden
        if self.sch.get(o.table) == 'Hidden': return False
        v = self.sch.get(o)
        return v == 'Visible' or (v in (None, 'Auto') and not o.hidden)

    def exposed(self):
        X = set()
        for t in self.tables:
            fs = [o for o in t.columns + t.measures if self.in_x_field(o)]
            X.update(fs)
            if self.configured:
                if self.sch.get(t) != 'Hidden' and fs: X.add(t)
            elif not t.hidden: X.add(t)
        return X

    def hier_in_x(self, t, h):
        hid = bool(h.get('hidden')) or t.hidden
        if not self.configured: return not hid
        if self.sch.get(t) == 'Hidden': return False
        v = getattr(t, 'hier_vis', {}).get(norm(h['name']))
        return v == 'Visible' or (v in (None, 'Auto') and not hid)

    # -- structure
    def structure(self):
        X = self.X_model
        for t in self.tables:
            t.fieldparam = t.calculated and any('ParameterMetadata' in (c.d.get('extendedProperties') or []) for c in t.columns)
            t.measuretable = bool(t.measures) and (
                (not any(c in self.rel_ends for c in t.columns) and not any(c in X for c in t.columns)) if False else
                (not any(c in self.rel_ends for c in t.columns) and
                 (not any(c in X for c in t.columns) or
                  (len(t.columns) == 1 and t.columns[0] not in self.ref_by_measures))))
            t.utility = t.calcgroup or t.fieldparam or t.measuretable
        self.TR = [t for t in self.tables if not t.utility]
        TRs = set(self.TR)
        for t in self.tables:
            t.in_tr = t in TRs
            t.fact_side = t.one_side = False
        for r in self.active:
            for c, many, oc, omany in r.ends:
                if many and not omany: c.table.fact_side = True
                if not many: c.table.one_side = True
        for t in self.tables:
            t.fact = t.in_tr and t.fact_side and not t.one_side
            t.dimension = t.in_tr and t.one_side
            t.has_dt = any(c.type == 'datetime' for c in t.columns)
            t.date_by_name = bool(set(words(t.name)) & DATEWORDS) and t.has_dt and t.dimension
            t.marked = lower(t.dataCategory) == 'time'
            t.date = t.marked or t.date_by_name or \
                (t.calculated and t.has_dt and any({'calendar', 'calendarauto'} & Dax(e).calls for e in t.calcexprs))
        for r in self.active:
            for c, many, oc, omany in r.ends:
                if not many and omany and c.type == 'datetime' and not c.table.date:
                    others = [x for x in c.table.columns if x is not c]
                    if others and all(x.calc or any(w in x.n for w in DATECOLS) for x in others):
                        c.table.date = True
        self.facts = [t for t in self.tables if t.fact]
        self.dims = [t for t in self.tables if t.dimension]
        self.date_tables = [t for t in self.tables if t.date]

    # -- descriptions
    def texts(self):
        base = set()
        for t in self.tables: base.update(words(t.name))
        tb = set()
        for w in base: tb |= forms(w)
        def fault(o):
            if rlen(o.desc) < 8: return True
            d = trim(o.desc)
            if d.endswith('.'): d = d[:-1]
            if norm(d) == norm(o.name): return True
            frame = FRAME | {'date', 'calendar'} if o.table.date else FRAME
            own = None
            for w in words(o.desc):
                if w in frame or w in tb: continue
                if own is None:
                    own = set()
                    for x in words(o.name): own |= forms(x)
                if w not in own: return False
            return True
        for o in self.tables + self.columns + self.measures:
            o.nodesc = empty(o.desc)
            o.good = not o.nodesc and not fault(o)

    # -- synonyms
    def synonyms_load(self):
        self.terms = {}
        def add(o, term):
            n = norm(term)
            if n and n != o.n: self.terms.setdefault(o, set()).add(n)
        for cu in self.src.get('cultures') or []:
            lm = cu.get('lsdl')
            if isinstance(lm, str):
                try: lm = json.loads(lm.lstrip('\ufeff'))
                except Exception: lm = None
            if not isinstance(lm, dict): continue
            ents = lm.get('Entities')
            if not isinstance(ents, dict): continue
            for e in ents.values():
                if not isinstance(e, dict): continue
                b = (e.get('Definition') or {}) if isinstance(e.get('Definition'), dict) else {}
                b = b.get('Binding')
                if not isinstance(b, dict) or 'Hierarchy' in b: continue
                if not isinstance(b.get('ConceptualEntity'), str): continue
                t = self.t_norm.get(norm(b['ConceptualEntity']))
                if t is None: continue
                p = b.get('ConceptualProperty')
                if p is None: those = [t]
                elif isinstance(p, str): those = [o for o in t.columns + t.measures if o.n == norm(p)]
                else: those = []
                for item in e.get('Terms') or []:
                    if not isinstance(item, dict): continue
                    for term, props in item.items():
                        st = props.get('State') if isinstance(props, dict) else None
                        if st in (None, 'Authored', 'User'):
                            for o in those: add(o, term)
        for o, l in self.sch_syn.items():
            for term in l: add(o, term)

    def usage_load(self):
        u = self.src.get('usage')
        self.usage = None
        if u is None: return
        self.usage = {}
        for tn, fs in u.items():
            t = self.t_norm.get(norm(tn))
            if t is None: continue
            for fn, v in (fs or {}).items():
                o = t.c_norm.get(norm(fn)) or t.m_norm.get(norm(fn))
                if o is not None: self.usage[o] = self.usage.get(o, 0) + v

    # -- instructions, verified answers, named
    def instructions_load(self):
        s = self.src.get('instructions')
        if s is None:
            cus = self.src.get('cultures') or []
            def ci_of(cu):
                lm = cu.get('lsdl')
                if isinstance(lm, str):
                    try: lm = json.loads(lm.lstrip('\ufeff'))
                    except Exception: return None
                v = lm.get('CustomInstructions') if isinstance(lm, dict) else None
                return v if isinstance(v, str) else None
            dc = self.src.get('culture')
            for cu in cus:
                if dc is not None and cu['name'] == dc and ci_of(cu) is not None: s = ci_of(cu); break
            if s is None:
                for cu in sorted(cus, key=lambda c: c['name'].encode()):
                    if ci_of(cu) is not None: s = ci_of(cu); break
        if self.notvisible: s = None
        self.instr = s or ''
        self.has_instr = not empty(s)
        self.answers = [] if self.notvisible else self.src.get('verified') or []
        self.named = set(); self.named_groups = []
        self.named_text = ''
        if self.notvisible: return
        if self.has_instr:
            self.named_text = named_text(self.instr)
            for t, n in refs_of(self.named_text):
                g = self.resolve_text(t, n)
                if g: self.named_groups.append(g)
        for va in self.answers:
            for ent, prop in va['fields']:
                g = self.resolve_text(norm(ent), norm(prop))
                if g: self.named_groups.append(g)
        for g in self.named_groups: self.named.update(g)

    def resolve_text(self, t, n):
        """t None: measures of that name if any, else every column"""
        if t is not None:
            tab = self.t_norm.get(t)
            if tab is None: return []
            o = tab.c_norm.get(n) or tab.m_norm.get(n)
            return [o] if o else []
        return self.m_norm_all.get(n) or self.c_norm_all.get(n) or []

NEG = ci(r"\b(?:do not|don't|never|avoid|ignore|exclude|hidden)\b")
CUT = rx(r'(?<=[.;,])(?=[\t\n\f\r \v\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000])')
def named_text(s):
    out = []
    for line in s.split('\n'):
        keep = []
        for p in CUT.split(line):
            i = p.find('[')
            if NEG.search(p if i < 0 else p[:i]): continue
            keep.append(p)
        out.append(''.join(keep))
    return '\n'.join(out)

P1, P2, P3 = rx(r"'([^'\n]+)'\[([^\]\n]+)\]"), rx(r"([A-Za-z_][A-Za-z0-9_]*)\[([^\]\n]+)\]"), rx(r"\[([^\]\n]+)\]")
def ref_matches(s):
    """(start, end, norm table or None, norm name), in text order"""
    out = []
    for p in (P1, P2):
        hits = list(p.finditer(s))
        for m in hits: out.append((m.start(), m.end(), norm(m.group(1)), norm(m.group(2))))
        for m in hits: s = s[:m.start()] + ' ' * (m.end() - m.start()) + s[m.end():]
    for m in P3.finditer(s):
        if s[m.end():m.end()+1] == '(': continue
        out.append((m.start(), m.end(), None, norm(m.group(1))))
    return sorted(out, key=lambda x: x[0])
def refs_of(s):
    out, seen = [], set()
    for _, _, t, n in ref_matches(s):
        if (t, n) not in seen: seen.add((t, n)); out.append((t, n))
    return out

# ---------------------------------------------------------------- rules
NAM02 = [ci(r'^(?:dim|fact|fct|stg|raw|tmp|vw|tbl)[ _]'), rx(r'^(?:Dim|Fact|Fct|Stg|Tbl)[A-Z]'), ci(r'^[df]_')]
NAM02_SPACE = ci(r'^(?:dim|fact|fct|stg|raw|tmp|vw|tbl) ')
P10STAR = [ci(r'^(?:dim|fact)_'), rx(r'^(?:Dim|Fact)[A-Z]')]
NAM02_FACT = [ci(r'^(?:fact|fct)[ _]'), rx(r'^(?:Fact|Fct)[A-Z]'), ci(r'^f_')]
NAM06 = ci(r'^(?:table|column|col|field|measure|sheet|query|new table|new column|new measure)[ _]?\d*\Z')
NAM06W = {norm(x) for x in 'flag, value, data, number, key, error, unknown, count, min, max, average, properties'.split(', ')}
BARE = rx(r'^\[(?:[^\]]|\]\])*\]\Z'); CAMEL = rx(r'[a-z][A-Z]'); PREFIX = rx(r'^[A-Za-z]{1,2}_')
ROWID = ci(r'(?:^| |_)row ?id\Z')
VIS03 = [rx(r'^[_.]'), ci(r'^(?:zz|tmp|test|debug|helper)[ _-]')]
INS04 = [ci(r'\b(?:fiscal|calendar|year|quarter|season|period|ytd)\b'), ci(r'\b(?:use|prefer|refer to)\b[^\n]{0,60}(?:\[|measure)'),
         ci(r'\b(?:means|refers to|stands for|defined as|also known as|synonym)\b'), ci(r'\b(?:default|unless|always|by default|otherwise)\b')]
H1, L1 = rx(r'^#{1,6} '), rx(r'^[-*] ')

def catalog_allow(tok):
    l = lower(tok)
    return l in ALLOW or (l.endswith('s') and l[:-1] in ALLOW)

# words that NAM-03 faults, by what is wrong: 1 no vowel, 2 a single letter, 3 in capitals
CAPS_S = rx(r'^[A-Z]{2,}s\Z')
ASCIIW = rx(r'^[A-Za-z]+\Z')
def nam03(name, without_last=False):
    """(violation, faulty words as spelled); P1: without_last leaves out a last word of several that is nm, dt or cd"""
    s = nfc(name)
    toks, cur, st = [], '', 0           # (token, start)
    for i, c in enumerate(s):
        if is_letter(c) or is_digit(c) or c == '&':
            if not cur: st = i
            cur += c
        elif cur: toks.append((cur, st)); cur = ''
    if cur: toks.append((cur, st))
    ws = []        # (spelled, counts, token start, token end, alone)
    for tok, st in toks:
        if CAPS_S.match(tok): ws.append((tok[:-1], not catalog_allow(tok), st, len(tok), True)); continue
        if catalog_allow(tok): ws.append((tok, False, st, len(tok), True)); continue
        rw = raw_words(tok)
        for w in rw: ws.append((w, True, st, len(tok), len(rw) == 1))
    v = 0.0
    bad = ([], [], [])
    def isdig(i): return 0 <= i < len(ws) and all(is_digit(c) for c in ws[i][0])
    for i, (w, counts, st, ln, alone) in enumerate(ws):
        if not counts: continue
        if not ASCIIW.match(w): continue
        l = w.lower()
        if without_last and 0 < i == len(ws) - 1 and l in ('nm', 'dt', 'cd'): continue
        if len(w) == 1:
            if l in 'ai': continue
            if isdig(i-1) or isdig(i+1): continue
            L, Rr = s[:st], s[st+ln:]
            if PARITY: L, Rr = trim('x' + L)[1:], trim(Rr + 'x')[:-1]
            if alone and L and Rr and (L[-1] + Rr[0]) in ('()', '[]', '{}'): continue
            v = max(v, 0.5); bad[1].append(w)
            continue
        if l in ALLOW: continue
        if not any(c in 'aeiouy' for c in l): v = 1.0; bad[0].append(w); continue
        if 2 <= len(w) <= 5 and w == w.upper():
            if any(j != i and not ((ws[j][0] == upper(ws[j][0])) if PARITY else all('A' <= c <= 'Z' for c in ws[j][0])) for j in range(len(ws))):
                v = max(v, 0.5); bad[2].append(w)
    return v, [w for l in bad for w in l[:5]]

def typ03_last(name):
    s = name
    while s and (s[-1] in ')]' or s[-1] in SPACE): s = s[:-1]
    if s.endswith('%'): return '%'
    ws = list(words(name))
    if len(ws) >= 3 and ws[-2] == 'in': ws = ws[:-2]
    return ws[-1] if ws else ''

def typ06_rest(c):
    ws = list(words(c.name))
    while ws and ws[-1] in ('name', 'code', 'region'): ws.pop()
    if not ws: return False
    if len(ws) >= 2 and ws[-2] in ('of', 'by', 'per'): return False
    w = ws[-1]
    return (c.type == 'string' and w in TYP06) or (c.type == 'int64' and w in ('zip', 'postcode', 'postal')) or \
        (c.type in ('double', 'decimal') and w in ('latitude', 'longitude'))

def typ06(c):
    if typ06_rest(c): return True
    if c.type != 'string': return False
    ws = words(c.name)
    if ws == ('state',): ok = True
    else:
        ok = len(ws) >= 2 and ws[-2] == 'state' and ws[-1] in ('name', 'code', 'province') and \
            not (len(ws) >= 3 and ws[-3] in ('of', 'by', 'per'))
    return ok and any(x is not c and typ06_rest(x) for x in c.table.columns)

def typ02_word(c):
    ws = words(c.name)
    return bool(set(ws) & TYP02) or (ws and ws[-1] in TYP02LAST) or \
        any(ws[i+1] == 'price' and ws[i] in ('unit', 'list', 'net') for i in range(len(ws)-1))

CONN = re.compile(ci(r'\b(?:means|mean|refers to|stands for|is defined as|is)\b').pattern + '|=|:|->|→', re.ASCII)
LISTMARK = rx(r'^[\t\n\f\r ]*(?:(?:[-*+•]|\d+[.)])(?=[\t\f\r ]))?[\t\f\r ]*')
USE = ci(r'\b(?:use|prefer)\b'); FOR = ci(r'\bfor\b'); STOP = rx(r'[.:;,]')
TERMSPLIT = re.compile(r',|/|' + ci(r' or | and ').pattern)
def ins11(M):
    maps = {}
    def put(term, obj):
        for part in TERMSPLIT.split(term):
            w = words(part)
            if w: maps.setdefault(w, set()).add(obj)
    for line in M.named_text.split('\n'):
        refs = ref_matches(line)
        ms = []
        for a, b, t, n in refs:
            g = M.resolve_text(t, n)
            if g and g[0].kind == MEASURE: ms.append((a, b, g[0]))
        if not ms: continue
        st = LISTMARK.match(line).end()
        c = CONN.search(line, st)
        if c and not any(a < c.start() for a, *_ in refs):
            term = line[st:c.start()]
            if 0 < rlen(term) <= 60:
                m = next((m for m in ms if m[0] >= c.end()), None)
                if m: put(term, m[2])
        for u in USE.finditer(line):
            m = next((m for m in ms if m[0] >= u.end()), None)
            if not m: continue
            f = FOR.search(line, m[1])
            if not f: continue
            s = STOP.search(line, f.end())
            put(line[f.end():s.start() if s else len(line)], m[2])
            break
    return any(len(v) > 1 for v in maps.values())

class View:
    """the rules over one X (model, or a data agent's source)"""
    def __init__(self, M, X, agent=False, weighted=True):
        self.M, self.X, self.agent = M, X, agent
        self.T = [t for t in M.tables if t in X]
        self.C = [c for c in M.columns if c in X]
        self.Ms = [x for x in M.measures if x in X]
        self.F = self.C + self.Ms
        self.weighted = weighted and M.usage is not None
        if self.weighted:
            self.umax = max([M.usage.get(o, 0) for o in self.F], default=0)
        self.Tset = set(self.T)
        self._tw = {}
        self.rules = {}       # id -> list of (key, v, w)  or None
        self.sev = {}         # (id, key) -> severity, where it is not the rule's own
        self.mentions = {}    # (id, key) -> texts that the message has to hold
        self.run()

    def u(self, o): return self.M.usage.get(o, 0)
    def wu(self, u):
        if not self.weighted or self.umax <= 0: return 1.0
        return 1 + 3 * math.log2(1 + u) / math.log2(1 + self.umax)
    def w(self, o):
        if not self.weighted: return 1.0
        if o.kind == TABLE:
            if o not in self.Tset: return 1.0
            if o not in self._tw:
                self._tw[o] = self.wu(max([self.u(f) for f in o.columns + o.measures if f in self.X], default=0))
            return self._tw[o]
        if o not in self.X: return 1.0
        return self.wu(self.u(o))

    def severity(self, rid, key, v):
        s = severity(rid, v)
        return self.sev.get((rid, key), s)

    def add(self, rid, o, v, sev=None, names=()):
        """o an object of the model; sev: the severity of this object if not the rule's own; names: what the message has to hold"""
        if o.kind == TABLE: key = (o.name, TABLE, '', 'table'); w = self.w(o)
        elif o.kind == REL:
            key = (o.ftname, REL, o.label, 'relationship')
            ts = (o.ft, o.tt)
            w = max((self.w(t) if t is not None else 1.0) for t in ts)
        elif o.kind == ITEM: key = (o.table.name, ITEM, o.objname, 'calculation_item'); w = 1.0
        else: key = (o.table.name, o.kind, o.name, KINDNAME[o.kind]); w = self.w(o)
        self.put(rid, key, v, w, sev, names)
    def put(self, rid, key, v, w, sev=None, names=()):
        if sev is not None: self.sev[rid, key] = sev
        if names and v > 0: self.mentions[rid, key] = list(names)
        self.rules.setdefault(rid, []).append((key, v, w))
    def model(self, rid, v, name=None, sev=None, names=()): self.put(rid, ('', OTHER, name or '#' + rid, 'model'), v, 1.0, sev, names)
    def answer(self, rid, va, v): self.rules.setdefault(rid, []).append((('', OTHER, va['name'], 'verified_answer'), v, 1.0))

    def run(self):
        M, X, T, C, Ms, F = self.M, self.X, self.T, self.C, self.Ms, self.F
        key, add = M.key, self.add
        Cnk = [c for c in C if not key(c)]
        E = T + Ms + Cnk
        for o in E + [c for c in C if key(c) and not c.nodesc]: add('DSC-04', o, 0.0 if o.good else 1.0)
        cnt = {}
        for o in E:
            if o.good: cnt[norm(o.desc)] = cnt.get(norm(o.desc), 0) + 1
        for o in E:
            add('DSC-05', o, 1.0 if not o.good else 0.5 if rlen(o.desc) > 200 else 0.0)
            add('DSC-06', o, 1.0 if not o.good or cnt[norm(o.desc)] > 1 else 0.0)
        for t in M.tables:
            t.itemcol = next((c for c in t.columns if c.d.get('sourceColumn') == 'Name'), None)
            if t.itemcol is None:
                ss = [c for c in t.columns if c.type == 'string']
                if len(ss) == 1: t.itemcol = ss[0]
            for it in t.items:
                it.objname = f'{t.itemcol.name if t.itemcol else ""}="{it.item}"'
        for t in T:
            if t.calcgroup and t.items:
                d = lower(first200(t.itemcol.desc)) if t.itemcol else ''
                hit = sum(1 for it in t.items if lower(it.item) in d)
                add('DSC-07', t, 1 - hit / len(t.items))
        # naming
        pre = {}
        for f in F:
            m = PREFIX.match(f.name)
            if m and len(f.name) > m.end(): pre[lower(m.group())] = pre.get(lower(m.group()), 0) + 1
        rep = {p for p, n in pre.items() if n >= 5 and 10 * n >= len(F)}
        if F: self.model('NAM-07', 1.0 if rep else 0.0)
        def strip(o):
            if o.kind == TABLE: return o.name
            m = PREFIX.match(o.name)
            if m and len(o.name) > m.end() and lower(m.group()) in rep: return o.name[m.end():]
            return o.name
        n3, n6, said, n3short = {}, {}, {}, {}
        for o in F + T:
            n3[o], said[o] = nam03(strip(o))
            n3short[o] = nam03(strip(o), True)[0] if n3[o] else 0.0
            n6[o] = 1.0 if NAM06.search(o.name) else 0.5 if o.kind != TABLE and o.n in NAM06W and not o.good else 0.0
        self.n6 = n6
        # what VIS-02 and VIS-03 fault: other rules ask for it
        directly = set()
        for x in Ms: directly.update(x.refs)
        vis02 = {c: M.vis02(c) for c in C if c not in directly and c not in M.named}
        hit = {x for x in Ms if M.vis03(x)}
        excused = set()
        for x in Ms:
            if x not in hit: excused.update(x.refs)
        vis03 = {x: 1.0 if x in hit else 0.0 for x in Ms if x not in M.named and x not in excused}
        technical = {o for o in C if vis02.get(o, 0.0) > 0} | {o for o in Ms if vis03.get(o, 0.0) > 0}
        coded = set()       # P1: NAM-01 gives 1 to a name in capitals
        for o in T + Ms + Cnk:
            n = strip(o); v = 0.0
            if o.kind == COLUMN:
                if o in technical: REACHED['P9 technical'] += 1; continue
                if last_word(o.name) in P9ID and not n3[o]: REACHED['P9 id'] += 1; continue
            if '_' in n or (' ' not in n and CAMEL.search(n)): v = 1.0
            elif ' ' not in n and rlen(n) >= 4 and n == upper(n) and sum(1 for c in n if is_letter(c) and lower_rune(c) != c) >= 4: v = 0.5
            if v > 0.5:
                if not (n3[o] or no_lower(n)): v = 0.5; REACHED['P8'] += 1
                elif not n3[o]: REACHED['P8 stays 1'] += 1
            if v and (M.terms.get(o) or o.good): v = 0.5
            if v == 1 and no_lower(n): coded.add(o)
            add('NAM-01', o, v, None if no_lower(n) else 0, ['not in capitals'] if v == 1 and no_lower(n) and '_' in n else ())
        self.missing_texts(T, Cnk, Ms, n3, n6, n3short, coded, vis03)
        for o in T:
            v = 1.0 if any(r.search(o.name) for r in NAM02) else 0.0
            if v and NAM02_SPACE.search(o.name): v = 0.5; REACHED['P10'] += 1
            star = v == 1 and not n3[o] and any(p.search(o.name) for p in P10STAR)
            if star: REACHED['P10 star'] += 1
            add('NAM-02', o, v, 0 if star else None)
        by = {}
        for c in C: by.setdefault(c.n, []).append(c)
        for o in T + C + Ms:
            add('NAM-03', o, n3[o], None, ['"%s"' % w for w in said[o]])
            n = o.name
            add('NAM-05', o, 1.0 if any(unicodedata.category(c) in ('Cc', 'Cf') for c in n) or (n and (n[0] in SPACE or n[-1] in SPACE))
                or any(n[i] in SPACE and n[i+1] in SPACE for i in range(len(n)-1)) else 0.0)
            add('NAM-06', o, n6[o])
        for c in Cnk:
            g = by[c.n]
            twice = len({x.table for x in g}) >= 2
            if c in technical or last_word(c.name) in P9ID:
                if twice: REACHED['P9 NAM-04'] += 1
                continue
            if twice and last_word(c.name) in P17CODE and c.type and len({x.type for x in g}) == 1: REACHED['P9 code'] += 1; continue
            add('NAM-04', c, 0.0 if not twice else 0.5 if all(x.good for x in g) else 1.0)
        # measures
        if M.facts or any(c.numeric for c in Cnk):
            n = len(Ms)
            self.model('MEA-01', 1.0 if n == 0 else 0.5 if n < len(M.facts) else 0.0)
        typ02 = [c for c in C if c.numeric and (key(c) or typ02_word(c))]
        t02 = set(typ02)
        for c in Cnk:
            if c.numeric and c.table.fact and c.summarize != 'none' and c not in t02:
                add('MEA-02', c, 0.0 if c in M.ref_by_measures else 1.0)
        per = {}
        for x in Ms: per[x.table] = per.get(x.table, 0) + 1
        first = {}
        sets = {}
        def mset(x):
            s = set(words(x.name))
            for c in nfc(x.name):
                if c in '%#\u2206' or unicodedata.category(c) == 'Sc': s.add(c)
            mp = {'pct': '%', 'percent': '%', 'percentage': '%', 'count': '#', 'number': '#', '\u2206': '\u03b4'}
            return frozenset({mp.get(w, w) for w in s} - {'total', 'sum', 'of', 'amount', 'the', 'value'})
        mset_of = {x: mset(x) for x in Ms}
        for s in mset_of.values(): sets[s] = sets.get(s, 0) + 1
        dup = {}        # measure -> the largest violation over the earlier measures of its expression
        def same(x, y):
            a, b = trim(x.d.get('formatString') or ''), trim(y.d.get('formatString') or '')
            if a and b and a != b: REACHED['P7'] += 1; return 0.5
            return 1.0
        for x in sorted(Ms, key=lambda x: (x.name.encode(), x.table.name.encode())):
            e = lower(removews(x.expr))
            if not e: continue
            l = first.setdefault((e, x.table if x.bare_own else None), [])
            if l: dup[x] = max(((same(x, y), y) for y in l), key=lambda p: p[0])
            l.append(x)
        for x in Ms:
            if x in technical and not M.is_text(x): REACHED['P6 technical'] += 1
            if not M.is_text(x) and x not in technical:
                v = 1.0 if empty(x.d.get('formatString')) and empty(x.d.get('formatStringDefinition')) else 0.0
                if v and counts_rows(x.dax.toks): v = 0.5; REACHED['P6'] += 1
                low = v == 0.5 or v and (called_count(x) or result_call(x.dax.toks) in M.functions)
                if low and v == 1: REACHED['P6 low'] += 1
                add('MEA-03', x, v, 0 if low else None)
            if per[x.table] > 10 and not self.agent: add('MEA-04', x, 1.0 if empty(x.d.get('displayFolder')) else 0.0)
            alias = (0.0, None)
            e = trim(x.expr)
            if BARE.match(e) and len(x.dax.toks) == 1:
                o = M.m_low.get(lower(x.dax.toks[0].v))
                if o is not None and o is not x and o in X: alias = (same(x, o), o)
            v, other = max((dup.get(x, (0.0, None)), alias), key=lambda p: p[0])
            add('MEA-05', x, v, None, [other.name] if other else ())
            s = mset_of[x]
            add('MEA-06', x, 0.5 if s and sets[s] > 1 else 0.0)
            add('MEA-08', x, 0.5 if unsafe_division(x.dax.toks) else 0.0)
        for o in M.broken_dax(): add('MEA-07', o, 1.0)
        # types
        for c in C:
            if c.type in ('string', 'boolean', 'datetime'):
                add('TYP-01', c, 0.0 if c.summarize == 'none' else 0.25 if c.summarize == 'default' else 1.0)
        for c in typ02:
            ws, v = words(c.name), 0.0 if c.summarize == 'none' else 0.5 if c.summarize in ('count', 'distinctcount') else 1.0
            alone = len(c.table.columns) == 1 and c not in M.rel_ends
            flag = c.type == 'int64' and not key(c) and len(ws) > 1 and ws[0] in FLAG
            if v and alone: REACHED['P21 alone'] += 1
            if v and flag: REACHED['P21 flag'] += 1
            add('TYP-02', c, v, 0 if alone else None, ['it is a flag'] if flag and v == 1 else ())
        for c in C:
            ws = words(c.name); s = set(ws)
            if typ03_last(c.name) in TYP03: add('TYP-03', c, 1.0 if c.type == 'string' else 0.0)
            if not key(c):
                l2 = ws[-2:]
                A, B = {'created', 'creation', 'modified', 'updated', 'refresh', 'publish'}, {'time', 'on', 'at'}
                if ws and (ws[-1] in ('date', 'datetime', 'timestamp') or l2 == ('date', 'time') or
                           (len(l2) == 2 and ((l2[0] in A and l2[1] in B) or (l2[0] in B and l2[1] in A)))):
                    add('TYP-04', c, 1.0 if c.type in ('string', 'int64') else 0.0, 0 if any(o.type == 'datetime' for o in c.table.columns) else None)
            if c.type == 'string' and s & {'month', 'weekday', 'day'} and not s & {'count', 'number', 'of'}:
                add('TYP-05', c, 1.0 if empty(c.d.get('sortByColumn')) else 0.0)
            if not self.agent and typ06(c):
                add('TYP-06', c, 1.0 if empty(c.d.get('dataCategory')) or c.d.get('dataCategory') == 'Uncategorized' else 0.0)
        Cset = set(C)
        for t in T:
            if t.dimension and any(c.type == 'string' and c in Cset for c in t.columns):
                add('TYP-07', t, 0.0 if any(c.d.get('isDefaultLabel') for c in t.columns) else 1.0)
        # relationships
        joined = set()
        for r in M.active: joined.add(r.ft); joined.add(r.tt)
        if len(M.TR) >= 2:
            E1 = []
            for t in T:
                if not t.in_tr: continue
                if t not in joined and len(t.columns) <= 5 and any(c in M.ref_by_measures for c in t.columns): continue
                E1.append(t)
            if not M.star():
                if E1:
                    REACHED['P11 once'] += 1
                    pairs = M.key_pairs()
                    some = sum(1 for t in E1 if any(t in (a.table, b.table) for a, b in pairs))
                    if 2 * some < len(E1): REACHED['P11 few'] += 1
                    if pairs and not M.says_keys(): REACHED['P11 any two'] += 1
                    self.model('REL-01', 1.0, sev=1 if 2 * some < len(E1) else None, names=[str(len(E1))] + [z for p in pairs[:5] for c in p for z in (c.table.name, c.name)])
            else:
                for t in E1:
                    alone = t not in joined
                    p = M.key_partners(t) if alone else []
                    if alone: REACHED['P11 partner' if p else 'P11 alone'] += 1
                    asked = any(c in M.ref_by_measures or c.numeric and not key(c) and c.summarize != 'none' for c in t.columns)
                    if p and not asked: REACHED['P11 not asked'] += 1
                    add('REL-01', t, 1.0 if alone else 0.0, None if p and asked or not alone else 1, [p[0].table.name, p[0].name] if p else ())
        flows = M.flows()
        for r in M.rels:
            btr = r.ft.in_tr and r.tt.in_tr
            if r.active and btr:
                add('REL-02', r, 1.0 if r.m2m else 0.0)
                if not r.o2o:
                    low = r.both and (M.rel03_low(r) or M.makes_one(r))
                    if low: REACHED['P12'] += 1
                    add('REL-03', r, 1.0 if r.both else 0.0, 0 if low else None, ['one-to-one'] if r.both and M.makes_one(r) else ())
            if btr: add('REL-04', r, 1.0 if r.fc.type and r.tc.type and r.fc.type != r.tc.type else 0.0)
            if not r.active and btr: add('REL-06', r, 0.0 if frozenset((r.fc, r.tc)) in M.userel or M.used_in_userel(r) else 1.0)
            if r.active: add('REL-09', r, M.rel09(r))
        for t in M.dims:
            outer = [oc.table for r in M.active for c, many, oc, om in r.ends if many and c.table is t and oc.table is not t and oc.table.dimension]
            if any(p.search(t.name) for p in NAM02_FACT) or any(c.numeric and not key(c) and c in directly for c in t.columns):
                if outer: REACHED['P13 no dimension'] += 1
                continue
            v = 0.0
            if outer:
                v = 1.0 if any(M.one_ends(o) == 1 for o in outer) else 0.5
                if v == 0.5: REACHED['P13 low'] += 1
            alone = [o for o in outer if M.one_ends(o) == 1]
            add('REL-05', t, v, 0, [tuple(o.name for o in alone or outer)])
        if len(M.TR) == 1:
            n = sum(1 for c in C if c.table is M.TR[0])
            self.model('REL-07', 1.0 if n > 30 else 0.5 if n >= 16 else 0.0)
        for r in M.broken_rels: add('REL-08', r, 1.0)
        # visibility
        nv = M.notvisible
        if not nv:
            if M.configured: self.model('VIS-01', 0.0)
            else:
                B = [o for o in F if o in technical or (o.kind == COLUMN and set(words(o.name)) & {'dummy', 'placeholder'})]
                some = [o.name for o in B] if len(B) <= 5 else [tuple(o.name for o in B)]
                if len(F) - len(B) > 30: REACHED['P16 many'] += 1; self.model('VIS-01', 1.0, names=some, sev=1)
                elif B: REACHED['P16 some'] += 1; self.model('VIS-01', 0.5, names=some, sev=None if len(B) >= 5 else 0)
                elif len(F) > 10: REACHED['P16 low'] += 1; self.model('VIS-01', 0.25, sev=0)
                else: REACHED['P16 none'] += 1
        for c, v in vis02.items():
            if v == 0.5: REACHED['P17 by'] += 1
            says = v == 1 and M.foreign_key(c) and not words_v(c.name) and (c.type == 'datetime' or c.type == 'string' and last_word(c.name) not in M2MKEY | P17CODE)
            if says: REACHED['P17 says'] += 1
            add('VIS-02', c, v, 0 if says else None)
        for x, v in vis03.items(): add('VIS-03', x, v)
        if M.configured and not nv:
            for x in Ms:
                cl = M.closure(x)
                add('VIS-04', x, sum(1 for o in cl if o not in X) / len(cl) if cl else 0.0)
        self.model('VIS-05', min(1.0, max(0.0, (len(T) - 25) / 25)))
        if self.weighted:
            used = set()
            for x in Ms: used.update(x.refs)
            for c in M.columns:
                sb = c.d.get('sortByColumn')
                if not empty(sb):
                    o = M.find_column(c.table, sb)
                    if o is not None: used.add(o)
            used |= M.rel_ends
            used |= self.hier_cols()
            for o in F: add('VIS-06', o, 0.5 if self.u(o) == 0 and o not in used else 0.0)
        if not nv:
            done = set()
            for g in M.named_groups:
                if any(o in X for o in g): continue
                for o in g:
                    if o in done or (o.kind == COLUMN and M.foreign_key(o)): continue
                    done.add(o); add('VIS-07', o, 1.0)
        # instructions
        if not nv: self.instructions()
        # synonyms
        if not nv:
            E = list(Ms)
            hc = self.hier_cols()
            for c in Cnk:
                if c.type == 'string' and c.table.dimension:
                    if self.weighted and not (self.u(c) > 0 or c in hc or c.d.get('isDefaultLabel')): continue
                    E.append(c)
            owners = {}
            for o in T + C + Ms:
                for n in M.terms.get(o, ()) | {o.n} if M.terms.get(o) else {o.n}: owners.setdefault(n, set()).add(o)
            for o in E:
                ts = M.terms.get(o)
                add('SYN-01', o, 0.0 if ts else 1.0)
                coll = bool(ts) and any(owners.get(n, set()) - {o} for n in ts)
                add('SYN-02', o, 1.0 if not ts or coll else 0.0, 1 if coll else 0)
        # time
        if any(c.type == 'datetime' for c in M.columns):
            named_date = []
            for t in M.tables:
                if t.utility or t.date or not set(words(t.name)) & DATEWORDS or not t.has_dt: continue
                if M.date_like(t): named_date.append(t); REACHED['P14 stays'] += 1
                else: REACHED['P14 no'] += 1
            likely = next((d for d in map(M.days_likely, M.tables) if d is not None), None)
            marked = any(t.marked and any(c.isKey and c.type == 'datetime' for c in t.columns) for t in M.tables)
            names = [tuple(M.date_like(t).name for t in named_date)] if named_date and not M.date_tables else []
            sev = 1 if likely is not None and not (M.date_tables or named_date) else None
            if M.date_tables and not marked:
                d = M.its_date(M.date_tables[0])
                names = [M.date_tables[0].name] + ([d.name] if d is not None else [])
            elif not marked and not named_date and likely is None:
                one = M.TR[0] if len(M.TR) == 1 else None
                if len(M.TR) > 1 and not M.star(): sev = 1; REACHED['P14 apart'] += 1
                if one is not None and M.date_parts(one): sev = 1; REACHED['P14 parts'] += 1
                names = [c.name for c in C if c.type == 'datetime' and not M.vis02_raw(c)][:5]
            if likely is not None and not (M.date_tables or named_date): REACHED['P14 likely'] += 1
            self.model('TIM-01', 0.0 if marked else 0.5 if M.date_tables or named_date else 1.0, sev=sev, names=names)
            for t in T:
                if t.date_by_name: add('TIM-02', t, 0.0 if t.marked else 1.0)
                if t.date: add('TIM-05', t, 0.0 if any(len(h.get('levels') or []) >= 2 for h in t.d.get('hierarchies') or []) else 1.0)
            self.model('TIM-03', 1.0 if M.has_auto else 0.0)
            if M.date_tables:
                for t in M.facts:
                    j = any(c.table is t and oc.table.date for r in M.active for c, _, oc, _ in r.ends)
                    dts = [c for c in t.columns if c.type == 'datetime' and c in X and not M.vis02_raw(c)]
                    own = [c for c in dts if not set(words(c.name)) & P15STAMP]
                    rel = any(c.table is t and oc.table.date for r in M.rels for c, _, oc, _ in r.ends)
                    if dts and not own and not rel: REACHED['P15 stamp'] += 1
                    if rel or own:
                        if not j: REACHED['P15'] += 1
                        add('TIM-04', t, 0.0 if j else 1.0, 0, [c.name for c in own[:5]] + M.date_column())
            if Ms:
                self.model('TIM-06', 0.0 if any(x.dax.calls & TIMFN for x in M.measures + M.items) else 1.0)

    def hier_cols(self):
        out = set()
        for t in self.M.tables:
            for h in t.d.get('hierarchies') or []:
                if self.hier_in_x(t, h):
                    for l in h.get('levels') or []:
                        c = self.M.find_column(t, l) if l else None
                        if c is not None: out.add(c)
        return out
    def hier_in_x(self, t, h):
        return self.M.hier_in_x(t, h)      # C.9 (23): X_m narrows T, C, M, F only

    def instructions(self):
        M, T = self.M, self.T
        s = M.instr
        if not M.has_instr:
            n = sum(1 for o in self.F if self.n6[o] != 1.0)
            little = len(self.Ms) <= 3 or sum(1 for t in T if not t.measuretable) <= 1
            if little and n > 10: REACHED['P4 little'] += 1
            if n < 3 or not T: REACHED['P4 none'] += 1
            else:
                if n <= 10: REACHED['P4 medium'] += 1
                all_said = 1 <= len(self.Ms) <= 3 and all(trim(o.desc) for o in T + self.Ms)
                if all_said: REACHED['P4 low'] += 1
                for rid in ('INS-01', 'INS-02', 'INS-03', 'INS-04'): self.model(rid, 1.0, '#INSTRUCTIONS', sev=0 if all_said else 1 if n <= 10 or little else None)
        else:
            self.model('INS-01', 0.0)
            n = rlen(s)
            self.model('INS-02', 1.0 if n > 10000 else 0.5 if n < 200 else 0.0)
            refs = refs_of(s)
            un = 0
            for t, name in refs:
                if t is not None:
                    tab = M.t_norm.get(t)
                    ok = tab is not None and (name in tab.c_norm or name in tab.m_norm)
                else: ok = name in M.m_norm_all or name in M.c_norm_all
                un += not ok
            self.model('INS-03', un / len(refs) if refs else 1.0)
            hits = sum(1 for r in INS04 if r.search(s))
            lines = s.split('\n')
            hits += any(H1.search(l) for l in lines) or sum(1 for l in lines if L1.search(l)) >= 3
            self.model('INS-04', 1 - hits / 5)
            self.model('INS-11', 1.0 if ins11(M) else 0.0)
        iw = list(words(s)) if M.has_instr else []
        for t in M.facts:
            cols = [c for c in t.columns if c.type == 'datetime' or
                    any(e is c and oc.table.date for r in M.rels for e, _, oc, _ in r.ends)]
            before = len(cols)
            joined = {e for r in M.active for e, _, oc, _ in r.ends if oc.table.date}
            cols.sort(key=lambda c: c not in joined)
            cols = [c for c in cols if not M.vis02_raw(c) and not next_to(words(c.name), P5LOADED, P5NEXT)]
            stems = {}
            for c in cols: stems.setdefault(stem(c.name), c)
            if before >= 2: REACHED['P5' if len(stems) < 2 else 'P5 stays'] += 1
            if len(stems) >= 2:
                ok = False
                for c in cols:
                    w = list(words(c.name))
                    if w and any(iw[i:i+len(w)] == w for i in range(len(iw) - len(w) + 1)): ok = True
                self.add('INS-05', t, 0.0 if ok else 1.0, None, [c.name for c in stems.values()][:5])
        ni = norm(s) if M.has_instr else None
        for t in T:
            if t.calcgroup: self.add('INS-06', t, 0.0 if ni is not None and t.n in ni else 1.0)
        self.model('INS-07', 0.0 if M.answers else 1.0)
        for va in M.answers:
            ph = [p for p in va['phrases'] if not empty(p)]
            self.answer('INS-08', va, 1.0 if len(ph) < 1 or len(ph) > 15 or any(rlen(p) > 500 for p in ph) else 0.5 if len(ph) < 5 else 0.0)
            self.answer('INS-09', va, 1.0 if any(not M.resolve_text(norm(e), norm(p)) for e, p in va['fields']) else 0.0)
        q = M.src.get('pbism')          # None: no part; else 'true' | 'false' | 'absent'
        if q is not None:
            if q == 'false' or M.has_instr or M.answers or M.configured or any(M.terms.values()):
                self.model('INS-10', {'true': 0.0, 'false': 1.0}.get(q, 0.25))

# -- further parts of Model that rules use
def _is_text(M, x, stack=()):
    """MEA-03's reading"""
    c = getattr(x, '_text', None)
    if c is not None: return c
    if x in stack: return False
    def more(kind, tok):
        if kind == 'measure':
            o = M.m_low.get(lower(tok.v))
            return o is not None and _is_text(M, o, stack + (x,))
        o = M.resolve((tok.t, tok.v, tok.q), x.table)
        return o is not None and o.kind == COLUMN and o.type in ('string', '')
    r = yields_text(x.dax.toks, {}, more)
    if not stack: x._text = r
    return r
Model.is_text = _is_text

def _plain_text(M, x):
    if not hasattr(x, '_ptext'): x._ptext = yields_text(x.dax.toks)
    return x._ptext

def _vis03(M, x):
    n = x.name
    if any(r.search(n) for r in VIS03): return True
    ws = set(words(n))
    if ws & {'placeholder', 'dummy', 'debug', 'helper'}: return True
    if ws & {'tooltip', 'svg', 'icon', 'colour', 'color'}: return _plain_text(M, x)
    if ws & {'title', 'label', 'text'}: return not x.good and _plain_text(M, x)
    return False
Model.vis03 = _vis03

def _foreign_key(M, c):
    if not hasattr(M, '_fk'):
        M._fk = set(); M.flows()     # reads the USERELATIONSHIPs
        for r in M.rels:
            for e, many, _, _ in r.ends:
                if not many or not r.active and (e.type == 'datetime' or not (frozenset((r.fc, r.tc)) in M.userel or M.used_in_userel(r))): continue
                if r.active and r.m2m and e.type == 'string' and last_word(e.name) not in M2MKEY: REACHED['P17 many-to-many'] += 1; continue
                M._fk.add(e)
    return c in M._fk
Model.foreign_key = _foreign_key

def words_v(name):
    """what the words of VIS-02 say of a name: 0, 0.5 (only created, updated, modified before `by`) or 1"""
    ws = words(name)
    if set(ws) & VIS02 or ROWID.search(name): return 1.0
    if 'hash' in ws:
        if all(w in HASHWITH for w in ws if w != 'hash'): return 1.0
        REACHED['P17 hash'] += 1
    if 'batch' in ws:
        if next_to(ws, {'batch'}, BATCHWITH): return 1.0
        REACHED['P17 batch'] += 1
    if next_to(ws, {'load', 'ingestion', 'export', 'etl'}, {'time', 'date', 'timestamp', 'at'}): return 1.0
    pairs = list(zip(ws, ws[1:]))
    if ('inserted', 'by') in pairs: return 1.0
    if any(a in ('upd', 'updated', 'modified', 'inserted', 'loaded') and b in ('ts', 'timestamp') for a, b in pairs): REACHED['P17 stamp'] += 1; return 1.0
    return 0.5 if any(a in ('updated', 'created', 'modified') and b == 'by' for a, b in pairs) else 0.0

Model.vis02_raw = lambda M, c: words_v(c.name) > 0

def _vis02(M, c):
    if M.foreign_key(c): return 1.0
    v = words_v(c.name)
    if not v: return v
    one = any(e is c and not many for r in M.rels for e, many, _, _ in r.ends)
    if one and c.type == 'string' and sum(1 for x in c.table.columns if x.type == 'string') == 1: return 0.0
    return v
Model.vis02 = _vis02

# -- what the departures ask for
def no_lower(n):
    l = [c for c in n if is_letter(c)]
    return len(l) >= 4 and not any(unicodedata.category(c) == 'Ll' for c in l)

def stem(name):
    name = trim(name)
    if name.endswith(')') and '(' in name: name = name[:name.rindex('(')]
    ws = [w for w in words(name) if w not in P5ENDS]
    while ws and ws[-1] in P5FINAL: ws.pop()
    return tuple(ws)

def _missing_texts(V, T, Cnk, Ms, n3, n6, n3short, coded, vis03):
    """DSC-01 to DSC-03 with P1 to P3"""
    def lower_rest(o):      # DSC-04 and DSC-06 of the object are low then, even if DSC-01 or DSC-02 is ignored (DIFFERENCES C10)
        key = (o.name, TABLE, '', 'table') if o.kind == TABLE else (o.table.name, o.kind, o.name, KINDNAME[o.kind])
        V.sev['DSC-04', key] = V.sev['DSC-06', key] = 0
    mark = V.M.to_mark()
    for t in T:
        low = V.M.plain_table(t) or t is mark
        if t is mark: REACHED['P2 to mark'] += 1
        if len(t.columns) == 1 and t.columns[0].type == 'datetime': low = True; REACHED['P2 one date'] += 1
        seen = [c for c in t.columns if c in V.X]
        if t.dimension and seen and all(set(words(c.name)) & P2PLACE for c in seen): low = True; REACHED['P2 places'] += 1
        if not low and (t.dimension and len(t.columns) <= 3 or not any(c in V.X for c in t.columns)): low = True; REACHED['P2 few'] += 1
        if low and not t.good: REACHED['P2 date' if t.date else 'P2 names'] += 1
        V.add('DSC-01', t, 0.0 if t.good else 1.0, 0 if low else None)
        if low and not t.good: lower_rest(t)
    for c in Cnk:
        fmt = c.d.get('formatString') or ''
        lw = last_word(c.name)
        ws = words(c.name)
        a = bool(n3short[c] or n6[c])
        count = len(ws) > 1 and lw == 'count' or len(ws) > 2 and ws[:2] in (('num', 'of'), ('number', 'of'), ('count', 'of'))
        b = c.numeric and lw not in P1UNIT and not count and '%' not in fmt and not any(unicodedata.category(z) == 'Sc' for z in fmt)
        k = c.type == 'string' and (lw in P1KIND or len(ws) > 1 and lw == 'cd')
        other = n6[c] == 1 or c in coded or bool(set(ws) & {'dummy', 'placeholder'}) or c.type == 'int64' and c.table.date and len(ws) > 1 and ws[0] in FLAG
        if n3[c] and not n3short[c]: REACHED['P1 short'] += 1
        if c.numeric and count: REACHED['P1 count'] += 1
        if other and (a or b or k): REACHED['P1 other'] += 1
        if other: a = b = k = False
        if not c.good:
            REACHED['P1 a' if a else 'P1 b' if b else 'P1 c' if k else 'P1 low'] += 1
            if c.numeric and not a and not b and lw not in P1UNIT: REACHED['P1 format'] += 1
        V.add('DSC-02', c, 0.0 if c.good else 1.0, None if a or b or k else 0)
        if not (a or b or k or c.good): lower_rest(c)
    for x in Ms:
        ws = words(x.name)
        m = not n3[x] and called_count(x) and V.M.counts(x)
        if not m and set(ws) & P3SHOWN: m = True; REACHED['P3 shown'] += 1
        if not m and vis03.get(x): m = True; REACHED['P3 helper'] += 1
        if not m and x.dax.broken in (None, '/*') and literal(x.dax.toks): m = True; REACHED['P3 constant'] += 1
        if m and not x.good: REACHED['P3'] += 1
        V.add('DSC-03', x, 0.0 if x.good else 1.0, 0 if m else None)
        if m and not x.good: lower_rest(x)
View.missing_texts = _missing_texts

def called_count(x):
    ws = words(x.name)
    return trim(x.name).startswith('#') or ws[:2] in (('number', 'of'), ('count', 'of')) or ws[-1:] == ('count',)

def _counts(M, x, stack=()):
    """P3: x is a plain count; measures in a circle are none"""
    if x in stack: return False
    def measure(t):
        o = M.resolve((t.t, t.v, t.q), x.table)
        return o is not None and o.kind == MEASURE and _counts(M, o, stack + (x,))
    return plain_count(x.dax.toks, measure)
Model.counts = _counts

def _plain_table(M, t):
    """P2: a Date table, or a table of TR that is no Fact, with a key and a name"""
    if t.date: return True
    if not t.in_tr or t.fact: return False
    W = words(t.name)
    if W[:1] == ('dim',): W = W[1:]
    def stems(ends):
        return {ws[:-1] for ws in (words(c.name) for c in t.columns) if len(ws) == len(W) + 1 and ws[-1] in ends and all(a in forms(b) for a, b in zip(ws, W))}
    keys = stems(('key', 'id', 'code'))
    return bool(keys & stems(('name', 'nm', 'title', 'label'))) or bool(keys) and any(words(c.name) in (('name',), ('title',)) for c in t.columns)
Model.plain_table = _plain_table

Model.star = lambda M: any(r.ft.in_tr and r.tt.in_tr and r.ft is not r.tt for r in M.active)

def _key_groups(M):
    if not hasattr(M, '_kg'):
        M._kg = {}
        for t in M.TR:
            for c in t.columns:
                ws = words(c.name)
                if ws and ws[-1] in P11KEY and c.type and not set(ws) & {'count', 'sum'}: M._kg.setdefault((ws, c.type), []).append(c)
    return M._kg
def _is_key(M, c):
    """P11: a key by itself, or the one side of a Rel"""
    return c.isKey or any(e is c and not many for r in M.rels for e, many, _, _ in r.ends)
Model.is_key = _is_key
Model.says_keys = lambda M: bool(M.rels) or any(c.isKey for c in M.columns)

def object_order(c): return (c.table.name.encode(), c.name.encode())
def _key_pairs(M):
    """in object order of the earlier and then of the later column"""
    out = []
    for g in _key_groups(M).values():
        g = sorted(g, key=object_order)
        out += [(a, b) for i, a in enumerate(g) for b in g[i+1:] if b.table is not a.table and (not M.says_keys() or M.is_key(a) or M.is_key(b))]
    return sorted(out, key=lambda p: object_order(p[0]) + object_order(p[1]))
Model.key_pairs = _key_pairs
def _key_partners(M, t):
    return [b for c in t.columns for b in sorted(_key_groups(M).get((words(c.name), c.type), ()), key=object_order) if c.type and b.table is not t and (M.is_key(c) or M.is_key(b))]
Model.key_partners = _key_partners

def _one_ends(M, t):
    """active Rel that the table is on the one side of"""
    return sum(1 for r in M.active if any(c.table is t and not many for c, many, _, _ in r.ends))
Model.one_ends = _one_ends

def _rel03_low(M, r):
    a, b = (r.ft, r.tt) if r.fmany else (r.tt, r.ft)
    return not b.date and not _one_ends(M, a) and sum(1 for q in M.active if a in (q.ft, q.tt)) <= 2 and \
        not any(c.numeric and not M.key(c) and c.summarize != 'none' for c in a.columns)
Model.rel03_low = _rel03_low

def _makes_one(M, r):
    """P12: the many-side column is a key already"""
    if r.m2m: return False
    c = r.fc if r.fmany else r.tc
    return c.isKey or any(e is c and not many for q in M.rels if q is not r for e, many, _, _ in q.ends)
Model.makes_one = _makes_one

def _date_column(M):
    """P15: the first Date table's column that the message names, or the table"""
    t = M.date_tables[0]
    dts = [c for c in t.columns if c.type == 'datetime']
    ends = {e for r in M.active for e, many, _, _ in r.ends if not many}
    for l in ([c for c in dts if c in ends], [c for c in t.columns if c.isKey], dts):
        if l: return [l[0].name]
    return [t.name]
Model.date_column = _date_column

def _date_like(M, t):
    """P14: the first dateTime column, by name, with another column of a date part; None without one"""
    return next((d for d in t.columns if d.type == 'datetime' and any(d is not c and set(words(c.name)) & P14PART for c in t.columns)), None)
Model.date_like = _date_like

def _days_likely(M, t):
    """P14: the first dateTime column of a dimension with two other columns of date parts"""
    return M.date_parts(t) if t.dimension else None
Model.days_likely = _days_likely

def _date_parts(M, t):
    """P14: the first dateTime column of a table with two other columns of date parts"""
    day = next((c for c in t.columns if c.type == 'datetime'), None)
    return day if day is not None and sum(1 for c in t.columns if c is not day and set(words(c.name)) & P14PART) >= 2 else None
Model.date_parts = _date_parts

def _its_date(M, t):
    dts = [c for c in t.columns if c.type == 'datetime']
    ends = {e for r in M.active for e, many, _, _ in r.ends if not many}
    return next((c for c in dts if c in ends), dts[0] if dts else None)
Model.its_date = _its_date

def _to_mark(M):
    """P2: the table that TIM-01 says to join or to mark while there is no Date table"""
    if M.date_tables: return None
    for t in M.tables:
        if not t.utility and set(words(t.name)) & DATEWORDS and t.has_dt and M.date_like(t): return t
    return next((t for t in M.tables if M.days_likely(t) is not None), None)
Model.to_mark = _to_mark

def _closure(M, x):
    seen, todo = set(), [x]
    done = {x}
    while todo:
        y = todo.pop()
        for o in y.refs:
            seen.add(o)
            if o.kind == MEASURE and o not in done: done.add(o); todo.append(o)
    seen.discard(x)
    return seen
Model.closure = _closure

def _flows(M):
    if hasattr(M, '_flows'): return M._flows
    M._flows = []      # (from table, to table, rel)
    for r in M.active:
        if r.m2m:
            M._flows.append((r.tt, r.ft, r))
            if r.both: M._flows.append((r.ft, r.tt, r))
        elif r.o2o or r.both:
            M._flows.append((r.tt, r.ft, r)); M._flows.append((r.ft, r.tt, r))
        elif r.fmany: M._flows.append((r.tt, r.ft, r))
        else: M._flows.append((r.ft, r.tt, r))
    M._adj = {}
    for a, b, r in M._flows: M._adj.setdefault(a, []).append((b, r))
    # userelationship
    M.userel = set(); M._ur = []
    for x in M.measures + M.items:
        for args in x.dax.call_args('userelationship'):
            s = set()
            for t in args:
                if t.k == 'ref' and not t.v.startswith('@'):
                    o = M.resolve((t.t, t.v, t.q), x.table if x.kind == MEASURE else None)
                    if o is not None: s.add(o)
            M._ur.append(s)
    return M._flows
Model.flows = _flows
Model.used_in_userel = lambda M, r: any(r.fc in s and r.tc in s for s in M._ur)

def _rel09(M, r):
    if hasattr(r, '_r9'): return r._r9
    if PARITY and r.ft is r.tt: r._r9 = 0.0; return 0.0      # page open; reading of the other side (DIFFERENCES 1)
    a, b = (r.ft, r.tt) if (not r.fmany and r.tmany) else (r.tt, r.ft)
    def reach(noboth):
        seen, todo = set(), [a]
        while todo:
            x = todo.pop()
            for y, q in M._adj.get(x, ()):
                if q is r or (noboth and q.both): continue
                if y is b: return True
                if y not in seen: seen.add(y); todo.append(y)
        return False
    r._r9 = 1.0 if reach(True) else 0.5 if reach(False) else 0.0
    return r._r9
Model.rel09 = _rel09

def _broken_dax(M):
    if hasattr(M, '_bd'): return M._bd
    out = []
    for x in [c for c in M.columns if c.calc] + M.measures + M.items:
        d = x.dax
        if trim(d.src) == '': continue
        bad = d.broken is not None
        if not bad:
            vs = None; strs = None
            for t, c, q in d.refs:
                if t is None: continue
                tn, cn = norm(t), norm(c)
                ft = M.file_norm.get(tn)
                if ft is None: fault = True
                elif any(z.dropped for z in ft): continue
                else:
                    fault = not any(cn in z.c_norm or (PARITY and cn in z.rownum) for z in ft) and cn not in M.m_norm_all
                    if fault and any(z.calculated and not z.columns for z in ft): continue
                if not fault: continue
                if not q:
                    if vs is None: vs = d.vars()
                    if tn in vs: continue
                if strs is None: strs = [norm(s) for s in d.strings()]
                if any((s in (f'{tn}[{cn}]', f"'{tn}'[{cn}]")) if PARITY else (f'{tn}[{cn}]' in s or f"'{tn}'[{cn}]" in s) for s in strs): continue
                bad = True; break
        if bad: out.append(x)
    M._bd = out
    return out
Model.broken_dax = _broken_dax

# ---------------------------------------------------------------- scoring
def severity(rid, v):
    if rid == 'INS-10': return 2 if v == 1 else 0
    s = SEVN[RULES[rid][2]]
    return max(0, s - 1) if v < 1 else s

def is_ignored(ign, rid, key):
    table, kind, name, typ = key[:4]
    if callable(ign): ign = ign(key[4] if len(key) > 4 else None)
    if (rid, table, name) in ign: return True
    if rid in ('INS-01', 'INS-02', 'INS-03', 'INS-04') and table == '' and \
            ((rid, '', '#INSTRUCTIONS') in ign or (rid, '', '#' + rid) in ign): return True
    return False

def dim_eval(rules, ign):
    """rules: id -> [(key, v, w)] -> (R by rule, D by dimension, parts by dimension)"""
    Rv, D, parts = {}, {}, {}
    for rid in RULE_IDS:
        E = sorted((e for e in rules.get(rid, []) if not is_ignored(ign, rid, e[0])),
                   key=lambda e: (e[0][0].encode(), e[0][1], e[0][2].encode()))
        if not E: Rv[rid] = None; continue
        sw = 0.0; sv = 0.0
        for k, v, w in E: sw += w; sv += w * v
        Rv[rid] = 1 - sv / sw
        parts.setdefault(RULES[rid][0], []).append((rid, E, sw))
    for d in DIMS:
        ps = parts.get(d)
        if not ps: D[d] = None; continue
        sk = 0.0; s = 0.0
        for rid, E, sw in ps: sk += RULES[rid][1]; s += RULES[rid][1] * Rv[rid]
        D[d] = 100 * s / sk
    return Rv, D, parts

def combine(D, W):
    num = den = 0.0
    for d in DIMS:
        if d in W and D.get(d) is not None: num += W[d] * D[d]; den += W[d]
    return num / den if den else None

def r4(x): return None if x is None else math.floor(x * 10000 + 0.5) / 10000
def r0(x): return None if x is None else int(math.floor(x + 0.5 + 1e-9))

def findings_of(entries):
    """entries: (source index, dim, key, rid, v, impact, sev, what the message has to hold)"""
    by = {}
    for si, d, key, rid, v, imp, sev, names in entries:
        f = by.setdefault((si, d, key[0], key[2]), dict(dimension=d, source=si, table=key[0], object_name=key[2], object_type=key[3], kind=key[1],
                          rules={}, violation=0.0, impact=0.0, names=[]))
        f['rules'].setdefault(rid, []).append((v, sev))
        f['names'] += names
        f['violation'] = max(f['violation'], v); f['impact'] += imp
    out = list(by.values())
    for f in out:
        f['rule_ids'] = sorted(f['rules'])
        f['sevs'] = {rid: max(sev for _, sev in l) for rid, l in f['rules'].items()}
        s = max(f['sevs'].values())
        if 'SYN-01' in f['rules']: s = 0
        f['severity'] = SEVS[s]
    obj = lambda f: (DIMS.index(f['dimension']), f['source'] if f['source'] is not None else -1, f['table'].encode(), f['kind'], f['object_name'].encode())
    out.sort(key=lambda f: (-f['impact'],) + obj(f))
    res, i = [], 0
    while i < len(out):
        j = i + 1
        while j < len(out) and abs(out[j-1]['impact'] - out[j]['impact']) <= 1e-9: j += 1
        res += sorted(out[i:j], key=obj); i = j
    return res

def caps_of(M, view, rules, ign):
    caps = []
    def left(rid): return [e for e in rules.get(rid, []) if not is_ignored(ign, rid, e[0])]
    if not view.Ms: caps.append(('CAP-NOMEASURE', 60))
    if len(M.TR) >= 2 and not any(r.ft.in_tr and r.tt.in_tr and r.ft is not r.tt for r in M.active): caps.append(('CAP-NOREL', 60))
    m7 = left('MEA-07')
    if left('REL-08') or any(e[0][1] == COLUMN for e in m7): caps.append(('CAP-BROKEN', 49))
    elif m7: caps.append(('CAP-BROKEN-DAX', 84))
    return caps

def finish(S, caps, D, Rv, ent, W, empty_t, extra=None):
    raw = None if S is None or empty_t else min([S] + [c[1] for c in caps])
    fs = findings_of(ent)
    if S is not None:
        tot = sum(f['impact'] for f in fs)
        ok = abs(tot - (100 - S)) <= 1e-6
    else: ok = all(f['impact'] == 0 for f in fs)
    out = dict(capped=raw, score=r0(raw), raw_score=r4(raw), raw_uncapped=r4(S), exact=S, caps=[c[0] for c in caps],
               dimensions={d: D.get(d) for d in DIMS if d in W}, rules=Rv, findings=fs, sum_ok=ok)
    if extra: out.update(extra)
    return out

def score_model(M, ign=frozenset(), weighted=True):
    V = View(M, M.X_model, weighted=weighted)
    Rv, D, parts = dim_eval(V.rules, ign)
    W = W_MODEL
    S = combine(D, W)
    sw = sum(W[d] for d in DIMS if d in W and D[d] is not None)
    ent = []
    for d in DIMS:
        if d not in W or d not in parts: continue
        sk = sum(RULES[rid][1] for rid, _, _ in parts[d])
        for rid, E, se in parts[d]:
            for key, v, w in E:
                if v > 0: ent.append((None, d, key, rid, v, 100 * W[d] / sw * RULES[rid][1] / sk * w * v / se, V.severity(rid, key, v), V.mentions.get((rid, key), [])))
    out = finish(S, caps_of(M, V, V.rules, ign), D, Rv, ent, W, not V.T)
    out['rule_r'] = {r: v for r, v in Rv.items() if not r.startswith('AGT')}
    out['counts'] = count_rules([(V.rules, ign)])
    return out

def count_rules(l):
    out = {}
    for rid in RULE_IDS:
        a = b = c = 0
        for rules, ign in l:
            es = rules.get(rid, [])
            live = [e for e in es if not is_ignored(ign, rid, e[0])]
            a += len(live); b += sum(1 for e in live if e[1] > 0); c += len(es) - len(live)
        out[rid] = [a, b, c]
    return out

def agent_x(M, selected):
    """X_m of C.6 (2) and C.9 (23)"""
    sel = {lower(x) for x in selected}
    X = set()
    for t in M.tables:
        if lower(t.name) not in sel: continue
        X.add(t)
        fs = t.columns + t.measures
        if M.configured and t in M.X_model: X.update(f for f in fs if f in M.X_model)
        else: X.update(fs)
    return X

class AgentView(View):
    def __init__(self, M, X, sel, weighted):
        self.sel = sel
        super().__init__(M, X, agent=True, weighted=weighted)

def score_agent(a, ignore=lambda si: frozenset(), weighted=True):
    """a: dict(instructions, publishedDescription, sources=[dict(type, name, selected, M or None, id)])"""
    for i, s in enumerate(a['sources']): s['i'] = i
    src = [s for s in a['sources'] if s.get('M') is not None]
    if not src: return dict(capped=None, score=None, raw_score=None, raw_uncapped=None, exact=None, caps=[], dimensions={}, rules={}, rule_r={}, counts={}, findings=[], sum_ok=True, sources=[])
    per = []
    for s in src:
        X = agent_x(s['M'], s['selected'])
        V = AgentView(s['M'], X, s['selected'], weighted)
        V.n = len(V.F)
        s['V'] = V
        per.append((s, V) + dim_eval(V.rules, ignore(s)))
    W = W_AGENT
    D, ns = {}, {}
    for d in DIMS:
        n = sum(p[1].n for p in per if p[3].get(d) is not None)
        ns[d] = n
        D[d] = sum(p[1].n * p[3][d] for p in per if p[3].get(d) is not None) / n if n else None
    agign = lambda i: ignore(a['sources'][i] if i is not None else None)
    rules = {} if a.get('as_agent') else agent_rules(a, src)
    aRv, aD, aparts = dim_eval(rules, agign)
    D['agent'] = aD['agent']
    S = combine(D, W)
    sw = sum(W[d] for d in DIMS if D.get(d) is not None)
    ent = []
    for s, V, Rv, Dm, parts in per:
        i = s['i']
        for d in DIMS:
            if d not in parts or d == 'agent': continue
            sk = sum(RULES[rid][1] for rid, _, _ in parts[d])
            for rid, E, se in parts[d]:
                for key, v, w in E:
                    if v > 0: ent.append((i, d, key, rid, v, 100 * (W[d] / sw * V.n / ns[d] if ns[d] else 0.0) * RULES[rid][1] / sk * w * v / se, V.severity(rid, key, v), V.mentions.get((rid, key), [])))
    if 'agent' in aparts:
        sk = sum(RULES[rid][1] for rid, _, _ in aparts['agent'])
        for rid, E, se in aparts['agent']:
            for key, v, w in E:
                if v > 0: ent.append((key[4] if len(key) > 4 else None, 'agent', key[:4], rid, v, 100 * W['agent'] / sw * RULES[rid][1] / sk * w * v / se, severity(rid, v), []))
    capl = [dict(caps_of(s['M'], V, V.rules, ignore(s))) for s, V, *_ in per]
    caps = []
    for c, lim in (('CAP-NOMEASURE', 60), ('CAP-NOREL', 60)):
        if all(c in x for x in capl): caps.append((c, lim))
    if any('CAP-BROKEN' in x for x in capl): caps.append(('CAP-BROKEN', 49))
    elif any('CAP-BROKEN-DAX' in x for x in capl): caps.append(('CAP-BROKEN-DAX', 84))
    empty_t = all(not V.T for _, V, *_ in per)
    allR = [dict(p[2]) for p in per]
    out = finish(S, caps, D, {r: aRv[r] for r in RULE_IDS if r.startswith('AGT')}, ent, W, empty_t)
    rr = dict(aRv)
    for rid in RULE_IDS:
        if rid.startswith('AGT'): continue
        ps = [(V.n, R[rid]) for _, V, R, _, _ in per if R[rid] is not None]
        n = sum(p[0] for p in ps)
        rr[rid] = sum(p[0] * p[1] for p in ps) / n if n else None
    out['rule_r'] = rr
    out['counts'] = count_rules([(V.rules, ignore(s)) for s, V, *_ in per] + [(rules, agign)])
    out['source_rules'] = allR
    out['source_dims'] = [p[3] for p in per]
    return out

def agent_rules(a, src):
    rules = {}
    def put(rid, key, v): rules.setdefault(rid, []).append((key, v, 1.0))
    ins = a.get('instructions') or ''
    low = lower(ins)
    for s in src:
        i = s['i']; M = s['M']
        if not M.configured or M.notvisible: continue
        sel = {lower(x) for x in s['selected']}
        told = set()
        for tn, fn in refs_of(named_text(ins)):
            if tn is not None and tn in M.t_norm: told.add(M.t_norm[tn])
            for o in M.resolve_text(tn, fn): told.add(o.table)
        for t in M.tables:
            a_, b_ = lower(t.name) in sel, t in M.X_model
            if not a_ and b_: REACHED['P18 named' if t in told else 'P18'] += 1
            if a_ or b_: put('AGT-01', (t.name, TABLE, '', 'table', i), 0.0 if a_ and b_ else 0.5 if b_ and t not in told else 1.0)
    found = set()
    for s in src:
        M = s['M']
        for o in M.tables + M.columns + M.measures:
            if rlen(o.name) < 4: continue
            l = lower(o.name)
            if (' ' in o.name and l in low) or '[' + l + ']' in low: found.add(l)
    put('AGT-02', ('', OTHER, '#AGT-02', 'data_agent'), min(1.0, len(found) / 3))
    d = a.get('publishedDescription')
    put('AGT-03', ('', OTHER, '#AGT-03', 'data_agent'), 1.0 if empty(d) else 0.5 if rlen(d) < 40 else 0.0)
    for s in a['sources']:
        put('AGT-04', ('', OTHER, s['name'], 'source', s['i']), 1.0 if len(s['selected']) > 25 else 0.0)
    if len(a['sources']) >= 2:
        n = sum(1 for s in a['sources'] if lower(s['name']) in low)
        put('AGT-05', ('', OTHER, '#AGT-05', 'data_agent'), 1.0 if n < len(a['sources']) else 0.0)
    seltabs = [(s['M'], t) for s in src for t in s['M'].tables if lower(t.name) in {lower(x) for x in s['selected']}]
    for t, n in refs_of(ins):
        ok = any((t is None or tab.n == t) and (n in tab.c_norm or n in tab.m_norm) for _, tab in seltabs)
        if not ok: put('AGT-06', ('', OTHER, f'{t or ""}[{n}]', 'data_agent'), 1.0)
    seln = {tab.n for _, tab in seltabs}
    done = set()
    for s in src:
        for t in s['M'].tables:
            if t.n in seln or t.n in done: continue
            if rlen(t.name) >= 4 and ' ' in t.name and lower(t.name) in low:
                done.add(t.n); put('AGT-06', ('', OTHER, t.n, 'data_agent'), 1.0)
    return rules
