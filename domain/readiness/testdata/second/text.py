"""Text terms of the regime (C.1, C.9 points 1, 2): norm, words, len, RE2-like regexes."""
import re, unicodedata
from functools import lru_cache

SPACE = set('\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000') | {chr(c) for c in range(0x2000, 0x200b)}

def is_space(c): return c in SPACE

def lower_rune(c):
    l = c.lower()
    if len(l) == 1: return l
    return 'i' if c == '\u0130' else c

def upper_rune(c):
    u = c.upper()
    if len(u) == 1: return u
    t = c.title()
    return t if len(t) == 1 else c

def lower(s):
    if s.isascii(): return s.lower()
    return ''.join(map(lower_rune, s))

def upper(s):
    if s.isascii(): return s.upper()
    return ''.join(map(upper_rune, s))

def nfc(s): return s if s.isascii() else unicodedata.normalize('NFC', s)

def trim(s):
    a, b = 0, len(s)
    while a < b and s[a] in SPACE: a += 1
    while b > a and s[b-1] in SPACE: b -= 1
    return s[a:b]

@lru_cache(200000)
def norm(s):
    s = trim(lower(nfc(s)))
    out, sp = [], False
    for c in s:
        if c in SPACE:
            if not sp: out.append(' ')
            sp = True
        else:
            out.append(c); sp = False
    return ''.join(out)

def is_letter(c):
    return unicodedata.category(c)[0] == 'L'

def is_digit(c):
    return unicodedata.category(c) == 'Nd'

def raw_words(name):
    """words with their spelling kept"""
    s = nfc(name)
    out, cur, n = [], '', len(s)
    for i, c in enumerate(s):
        if not (is_letter(c) or is_digit(c)):
            if cur: out.append(cur)
            cur = ''
            continue
        if cur:
            p = s[i-1]
            up = 'A' <= c <= 'Z'
            if up and ('a' <= p <= 'z' or '0' <= p <= '9'):
                out.append(cur); cur = ''
            elif up and 'A' <= p <= 'Z' and i+1 < n and 'a' <= s[i+1] <= 'z':
                out.append(cur); cur = ''
        cur += c
    if cur: out.append(cur)
    return out

@lru_cache(200000)
def words(name):
    return tuple(w for w in (norm(x) for x in raw_words(name)) if w)

def rlen(s): return len(trim(s or ''))

def empty(s): return s is None or rlen(s) == 0

def first200(s): return trim(s or '')[:200]

def removews(s): return ''.join(c for c in s if c not in SPACE)

def ci(pattern, flags=0):
    """compile with (?i) as RE2 folds: ASCII letters plus U+017F, U+212A"""
    out, i, incls = [], 0, False
    while i < len(pattern):
        c = pattern[i]
        if c == '\\':
            out.append(pattern[i:i+2]); i += 2; continue
        if c == '(' and pattern[i:i+3] == '(?:':
            out.append('(?:'); i += 3; continue
        if c == '[': incls = True
        elif c == ']': incls = False
        if c.isalpha() and c.isascii():
            v = c.lower() + c.upper() + {'s': '\u017f', 'k': '\u212a'}.get(c.lower(), '')
            out.append(v if incls else '[' + v + ']')
        else: out.append(c)
        i += 1
    return re.compile(''.join(out), flags | re.ASCII)

def rx(pattern, flags=0): return re.compile(pattern, flags | re.ASCII)
