import sys, os, json
from collections import Counter, defaultdict
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.setrecursionlimit(10000)
import score
import multiprocessing as mp
EPS = 1e-9
def close(a, b): return (a is None) == (b is None) and (a is None or abs(a - b) <= EPS)
def close4(a, b): return (a is None) == (b is None) and (a is None or abs(score.E.r4(a) - b) < 1.01e-4 and abs(a - b) < 5.1e-5)
def one(l):
    o = json.loads(l); exp = o.get('result')
    try: got = score.run(o)['result']
    except Exception as e:
        import traceback
        return (o['name'], o['kind'], ['EXC ' + traceback.format_exc()[-300:]], set(['EXC']))
    d, rules = [], set()
    if not got['sum_ok']: d.append('SUM'); rules.add('SUM')
    if not close(got['unweighted_capped'], exp.get('unweighted_exact')): d.append(f"unweighted: mine {got['unweighted_capped']} theirs {exp.get('unweighted_exact')}"); rules.add('UNW')
    for k in ('score_exact', 'score_capped'):
        if not close(got[k], exp.get(k)): d.append(f'{k}: mine {got[k]} theirs {exp.get(k)}')
    if sorted(got['caps']) != sorted(exp['caps']): d.append(f"caps: mine {got['caps']} theirs {exp['caps']}"); rules.add('CAPS')
    er = {}
    for dim in exp['dimensions']:
        if not close(got['dimensions'].get(dim['id']), dim['score']): d.append(f"D {dim['id']}: mine {got['dimensions'].get(dim['id'])} theirs {dim['score']}")
        for r in dim['rules'] or []:
            er[r['id']] = r
            mine = got['rules'].get(r['id'])
            c = (got['counts'].get(r['id']) or [0, 0, 0])
            bad = not close(mine, r['r']) or c[1] != r['failing'] or (c[0] != r['eligible'] and c[0]+c[2] != r['eligible']) or c[2] != r.get('ignored', 0)
            if bad:
                rules.add(r['id']); d.append(f"R {r['id']}: mine {mine} {c} theirs {r['r']} {[r['eligible'], r['failing'], r.get('ignored', 0)]}")
    for rid, v in got['rules'].items():
        if rid not in er and v is not None: d.append(f'rule {rid} absent there, mine {v}'); rules.add(rid)
    fk = lambda f: (f['dimension'], f['source_model_id'], f['table'], f['object_name'])
    a, b = {fk(f): f for f in got['findings']}, {fk(f): f for f in exp['findings']}
    for k in list(a.keys() | b.keys()):
        x, y = a.get(k), b.get(k)
        if x is None or y is None:
            d.append(f"F {k}: mine {x and x['rule_ids']} theirs {y and y['rule_ids']} {(x or y)['object_type']}"); rules.add('F:' + ','.join((x or y)['rule_ids'])); continue
        if x['rule_ids'] != y['rule_ids']: d.append(f"F {k}: rules mine {x['rule_ids']} theirs {y['rule_ids']}"); rules |= {'F:' + r for r in set(x['rule_ids']) ^ set(y['rule_ids'])}
        for m in ('severity', 'object_type'):
            if x[m] != y[m]: d.append(f"F {k} {x['rule_ids']}: {m} mine {x[m]} theirs {y[m]}"); rules.add(m + ':' + ','.join(x['rule_ids']))
        if abs(x['violation'] - y['violation']) > EPS: d.append(f"F {k} {x['rule_ids']}: violation mine {x['violation']} theirs {y['violation']}"); rules.add('V:' + ','.join(x['rule_ids']))
        if abs(x['impact'] - y['impact']) > EPS: d.append(f"F {k} {x['rule_ids']}: impact mine {x['impact']} theirs {y['impact']}"); rules.add('IMPACT')
        if y.get('rule_severities'):
            for r in sorted(set(x['rule_ids']) & set(y['rule_severities'])):
                if x['severities'][r] != y['rule_severities'][r]: d.append(f"S {k} {r}: severity of the rule mine {x['severities'][r]} theirs {y['rule_severities'][r]}"); rules.add('rule severity:' + r)
        flat = lambda t: ' '.join(t.split())     # a message shows names with single spaces
        msg = flat(y.get('message') or '')
        if msg:
            for t in x['mentions']:
                if not any(flat(z) in msg for z in ([t] if isinstance(t, str) else t)): d.append(f"M {k} {x['rule_ids']}: {t!r} is not in the message {msg!r}"); rules.add('message:' + ','.join(x['rule_ids'])); break
    if not any(x.startswith('F ') for x in d):
        oa, ob = [fk(f) for f in got['findings']], [fk(f) for f in exp['findings']]
        if oa != ob: d.append('ORDER ' + str([(p, q) for p, q in zip(oa, ob) if p != q][:2])); rules.add('ORDER')
    return (o['name'], o['kind'], d, rules)
if __name__ == '__main__':
    os.nice(19)
    tot, c, n = 0, Counter(), 0
    out = open(sys.argv[2] if len(sys.argv) > 2 else 'diffs.txt', 'w')
    with mp.Pool(min(4, os.cpu_count() or 1)) as p:
        for name, kind, d, rules in p.imap(one, open(sys.argv[1], encoding='utf-8'), chunksize=8):
            n += 1
            if d:
                tot += 1
                c.update(rules or {'numbers only'})
                out.write(f'=== {name} | {kind}\n' + '\n'.join(d) + '\n')
    print(f'{n} lines, {tot} differ')
    for k, v in c.most_common(): print(v, k)
