"""DAX tokens from the page (C.9 points 11, 25; 2026-12 MEA-07, MEA-08, VIS-03, MEA-03)."""
from text import lower, norm, is_letter, is_digit, SPACE

NOTABLE = {'return','var','in','not','and','or','order','by','asc','desc','evaluate','define','measure','column','table','start','at'}

class Tok:
    __slots__ = ('k', 'v', 't', 'q', 'kw')   # k: str, ref, table, id, num, op ; v value; t table (ref) ; q quoted
    def __init__(s, k, v, t=None, q=False): s.k = k; s.v = v; s.t = t; s.q = q; s.kw = False
    def __repr__(s): return f'{s.k}:{s.t+"!" if s.t is not None else ""}{s.v}'

def isidstart(c): return c == '_' or is_letter(c)
def isid(c): return c in '_.' or is_letter(c) or is_digit(c)

def tokenize(s):
    """-> (tokens, broken reason or None)"""
    toks, i, n, broken = [], 0, len(s), None
    def bracket(i):
        # s[i] == '[' ; -> (name, next) or (None, n)
        j, out = i + 1, []
        while j < n:
            if s[j] == ']':
                if j + 1 < n and s[j+1] == ']': out.append(']'); j += 2; continue
                return ''.join(out), j + 1
            out.append(s[j]); j += 1
        return None, n
    while i < n:
        c = s[i]
        if c in SPACE: i += 1; continue
        two = s[i:i+2]
        if two == '//' or two == '--':
            while i < n and s[i] not in '\r\n': i += 1
            continue
        if two == '/*':
            j = s.find('*/', i + 2)
            if j < 0: broken = broken or '/*'; i = n
            else: i = j + 2
            continue
        if c == '"':
            j, out, ok = i + 1, [], False
            while j < n:
                if s[j] == '"':
                    if j + 1 < n and s[j+1] == '"': out.append('"'); j += 2; continue
                    ok = True; break
                out.append(s[j]); j += 1
            if not ok: broken = broken or '"'; i = n
            else: i = j + 1
            toks.append(Tok('str', ''.join(out)))
            continue
        if c == "'":
            j, out, ok = i + 1, [], False
            while j < n:
                if s[j] == "'":
                    if j + 1 < n and s[j+1] == "'": out.append("'"); j += 2; continue
                    ok = True; break
                out.append(s[j]); j += 1
            if not ok: broken = broken or "'"; i = n; continue
            i = j + 1
            t = ''.join(out)
            if i < n and s[i] == '[':
                name, i = bracket(i)
                if name is None: broken = broken or '['
                else: toks.append(Tok('ref', name, t, True))
            else: toks.append(Tok('table', t))
            continue
        if c == '[':
            name, i = bracket(i)
            if name is None: broken = broken or '['
            else: toks.append(Tok('ref', name, None))
            continue
        if isidstart(c):
            j = i + 1
            while j < n and isid(s[j]): j += 1
            w = s[i:j]; i = j
            if i < n and s[i] == '[':
                if lower(w) in NOTABLE:
                    toks.append(Tok('id', w))
                    name, i = bracket(i)
                    if name is None: broken = broken or '['
                    else: toks.append(Tok('ref', name, None)); toks[-1].kw = True
                    continue
                name, i = bracket(i)
                if name is None: broken = broken or '['
                else: toks.append(Tok('ref', name, w, False))
            else: toks.append(Tok('id', w))
            continue
        if is_digit(c) or (c == '.' and i + 1 < n and is_digit(s[i+1])):
            j = i
            while j < n and (is_digit(s[j]) or s[j] == '.'): j += 1
            if j < n and s[j] in 'eE':
                k = j + 1
                if k < n and s[k] in '+-': k += 1
                if k < n and is_digit(s[k]):
                    while k < n and is_digit(s[k]): k += 1
                    j = k
            toks.append(Tok('num', s[i:j])); i = j
            continue
        if two in ('&&', '||', '<=', '>=', '<>', '=='):
            toks.append(Tok('op', two)); i += 2; continue
        toks.append(Tok('op', c)); i += 1
    if broken is None:
        st = []
        for t in toks:
            if t.k != 'op': continue
            if t.v in '({': st.append(t.v)
            elif t.v in ')}':
                if not st or st.pop() != {')': '(', '}': '{'}[t.v]:
                    broken = t.v; break
        if broken is None and st: broken = st[-1]
    return toks, broken

class Dax:
    """one expression, tokenized once"""
    __slots__ = ('src', 'toks', 'broken', '_refs', '_calls')
    def __init__(self, src):
        self.src = src or ''
        self.toks, self.broken = tokenize(self.src)
        self._refs = None; self._calls = None
    @property
    def refs(self):
        """(table or None, name, quoted)"""
        if self._refs is None:
            self._refs = [(t.t, t.v, t.q) for t in self.toks if t.k == 'ref' and not t.v.startswith('@')]
        return self._refs
    @property
    def calls(self):
        if self._calls is None:
            ts = self.toks
            self._calls = {lower(ts[i].v) for i in range(len(ts)-1)
                           if ts[i].k == 'id' and ts[i+1].k == 'op' and ts[i+1].v == '('}
        return self._calls
    def vars(self):
        ts = self.toks
        return {norm(ts[i+1].v) for i in range(len(ts)-1)
                if ts[i].k == 'id' and lower(ts[i].v) == 'var' and ts[i+1].k == 'id'}
    def strings(self): return [t.v for t in self.toks if t.k == 'str']
    def call_args(self, fn):
        """token lists inside the parentheses of each call of fn"""
        ts = self.toks
        for i in range(len(ts)-1):
            if ts[i].k == 'id' and lower(ts[i].v) == fn and ts[i+1].k == 'op' and ts[i+1].v == '(':
                d, j = 0, i + 1
                while j < len(ts):
                    if ts[j].k == 'op':
                        if ts[j].v == '(': d += 1
                        elif ts[j].v == ')':
                            d -= 1
                            if d == 0: break
                    j += 1
                yield ts[i+2:j]

def unsafe_division(toks):
    n = len(toks)
    for i, t in enumerate(toks):
        if t.k == 'op' and t.v == '/':
            j = i + 1
            while j < n and toks[j].k == 'op' and toks[j].v in '+-': j += 1
            if j < n and toks[j].k == 'num': continue
            if j < n and toks[j].k == 'op' and toks[j].v == '(':
                d, k, ok = 0, j, True
                while k < n:
                    x = toks[k]
                    if x.k == 'op' and x.v == '(': d += 1
                    elif x.k == 'op' and x.v == ')':
                        d -= 1
                        if d == 0: break
                    elif x.k == 'num' or (x.k == 'op' and all(ch in '+-*/^<>=&|' for ch in x.v)): pass
                    else: ok = False; break
                    k += 1
                if ok and d == 0: continue
            return True
    return False

TEXTFN = set('format concatenate concatenatex combinevalues unichar substitute upper lower trim left right mid rept'.split())
COLFN = set('min max selectedvalue values distinct firstnonblank lastnonblank lookupvalue'.split())

def isop(t, v): return t.k == 'op' and t.v == v
def iskw(t, v): return t.k == 'id' and lower(t.v) == v

def strip_parens(ts):
    while len(ts) >= 2 and isop(ts[0], '('):
        d, ok = 0, True
        for i, t in enumerate(ts):
            if isop(t, '('): d += 1
            elif isop(t, ')'):
                d -= 1
                if d == 0:
                    ok = i == len(ts) - 1
                    break
        if ok and d == 0 and isop(ts[-1], ')'): ts = ts[1:-1]
        else: break
    return ts

def var_block(ts):
    """ts begins with VAR -> (list of (name, tokens), result tokens) or None"""
    out, i, n = [], 0, len(ts)
    def expr_end(i):
        # index of next VAR/RETURN at depth 0, nested blocks skipped; a VAR directly after `=` or RETURN opens one (DIFFERENCES C27)
        d, need = 0, 0
        while i < n:
            t = ts[i]
            if t.k == 'op':
                if t.v in '({': d += 1
                elif t.v in ')}': d -= 1
            if d == 0 and t.k == 'id':
                w = lower(t.v)
                if w == 'var':
                    before = ts[i-1]
                    if isop(before, '=') or iskw(before, 'return'): need += 1
                    elif need == 0: return i
                elif w == 'return':
                    if need == 0: return i
                    need -= 1
            i += 1
        return n
    while i < n and iskw(ts[i], 'var'):
        if i + 2 >= n or ts[i+1].k != 'id' or not isop(ts[i+2], '='): return None
        j = expr_end(i + 3)
        out.append((lower(ts[i+1].v), ts[i+3:j]))
        i = j
    if i < n and iskw(ts[i], 'return'): return out, ts[i+1:]
    return None

def split_args(ts):
    out, cur, d = [], [], 0
    for t in ts:
        if t.k == 'op':
            if t.v in '({': d += 1
            elif t.v in ')}': d -= 1
            elif t.v == ',' and d == 0:
                out.append(cur); cur = []; continue
        cur.append(t)
    out.append(cur)
    return out

def one_call(ts):
    """(fn, args) if ts is exactly one call"""
    if len(ts) >= 3 and ts[0].k == 'id' and isop(ts[1], '(') and isop(ts[-1], ')'):
        d = 0
        for i in range(1, len(ts)):
            if isop(ts[i], '('): d += 1
            elif isop(ts[i], ')'):
                d -= 1
                if d == 0:
                    if i != len(ts) - 1: return None
        if d == 0:
            inner = ts[2:-1]
            return lower(ts[0].v), (split_args(inner) if inner else [])
    return None

def resolve_result(ts, env):
    """peel VAR blocks, parentheses, VAR names -> (tokens, env)"""
    for _ in range(200):
        ts = strip_parens(ts)
        if ts and iskw(ts[0], 'var'):
            b = var_block(ts)
            if b is None: return ts, env
            env = dict(env)
            for name, ex in b[0]:
                env[name] = (ex, dict(env))
            ts = b[1]
            continue
        if len(ts) == 1 and ts[0].k == 'id' and lower(ts[0].v) in env:
            ts, env = env[lower(ts[0].v)]
            continue
        return ts, env
    return ts, env

COUNTFN = set('countrows count counta countx countax distinctcount distinctcountnoblank'.split())

def header(ts):
    """P20: [(column, type)] of an expression that is one call of DATATABLE, else []"""
    c = one_call(strip_parens(ts))
    out = []
    if c is None or c[0] != 'datatable': return out
    for name, kind in zip(c[1][::2], c[1][1::2]):
        if len(name) != 1 or len(kind) != 1 or name[0].k != 'str' or kind[0].k != 'id': break
        out.append((name[0].v, lower(kind[0].v)))
    return out

def literal(ts):
    """P3: nothing but one constant"""
    return is_constant(ts)

def counts_rows(ts):
    """P6: a count, below VAR ... RETURN, parentheses and the first argument of CALCULATE"""
    env = {}
    for _ in range(200):
        ts, env = resolve_result(ts, env)
        c = one_call(ts)
        if c is None: return False
        if c[0] == 'calculate' and c[1]: ts = c[1][0]; continue
        return c[0] in COUNTFN
    return False

def result_call(ts):
    """P6: the function whose one call the result is, in lower case, or None"""
    env = {}
    for _ in range(200):
        ts, env = resolve_result(ts, env)
        c = one_call(ts)
        if c is None: return None
        if c[0] == 'calculate' and c[1]: ts = c[1][0]; continue
        return c[0]
    return None

PLAINCOUNT = ('count', 'countrows', 'distinctcount')

def plain_count(ts, measure):
    """P3: one call of COUNT, COUNTROWS or DISTINCTCOUNT, or CALCULATE of one, or of a measure that measure(token) says is one,
    and filters T[C] = constant"""
    c = one_call(strip_parens(ts))
    if c is None: return False
    if c[0] in PLAINCOUNT: return True
    if c[0] != 'calculate' or not c[1] or not all(equals_constant(a) for a in c[1][1:]): return False
    first = strip_parens(c[1][0])
    if len(first) == 1 and first[0].k == 'ref' and first[0].t is None: return measure(first[0])
    c = one_call(first)
    return c is not None and c[0] in PLAINCOUNT

def is_constant(ts):
    ts = strip_parens(ts)
    if len(ts) == 2 and ts[0].k == 'op' and ts[0].v in '+-' and ts[1].k == 'num': return True
    if len(ts) == 1: return ts[0].k in ('num', 'str')
    c = one_call(ts)
    return c is not None and c[0] in ('true', 'false') and not c[1]

def equals_constant(ts):
    ts = strip_parens(ts)
    for i, t in enumerate(ts):
        if t.k == 'op' and t.v in ('=', '=='):
            a, b = strip_parens(ts[:i]), strip_parens(ts[i+1:])
            column = lambda x: len(x) == 1 and x[0].k == 'ref' and x[0].t is not None
            return column(a) and is_constant(b) or column(b) and is_constant(a)
    return False

def yields_text(ts, env=None, more=None, depth=0):
    """more: None (VIS-03) or callback(kind, tok) for MEA-03: ('col', tok)->is string column, ('measure', tok)->yields text"""
    ts, env = resolve_result(ts, env or {})
    if not ts or depth > 100: return False
    if ts[0].k == 'str': return True
    d = 0
    for t in ts:
        if t.k == 'op':
            if t.v == '(': d += 1
            elif t.v == ')': d -= 1
            elif t.v == '&' and d == 0: return True
    if more and len(ts) == 1 and ts[0].k == 'ref' and ts[0].t is None: return more('measure', ts[0])
    c = one_call(ts)
    if c is None: return False
    fn, args = c
    if fn in TEXTFN: return True
    if more and fn in COLFN:
        if args and len(args[0]) == 1 and args[0][0].k == 'ref': return more('col', args[0][0])
        return False
    if fn == 'if': res = args[1:3]
    elif fn == 'switch':
        res = args[2::2]
        if len(args) >= 4 and len(args) % 2 == 0: res = res + [args[-1]]
    elif fn in ('iferror', 'coalesce'): res = args
    elif fn == 'calculate': res = args[:1]
    else: return False
    left = 0
    for a in res:
        a2, e2 = resolve_result(a, env)
        cc = one_call(a2)
        if cc and cc[0] == 'blank' and not [x for y in cc[1] for x in y]: continue
        left += 1
        if not yields_text(a2, e2, more, depth + 1): return False
    return left > 0
