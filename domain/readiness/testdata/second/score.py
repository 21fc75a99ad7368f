#!/usr/bin/env python3
"""score.py inputs.jsonl > outputs.jsonl"""
import sys, os, json
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.setrecursionlimit(10000)
import engine as E, load

SHAPE = False
def ign(opts, sid):
    return frozenset((i['rule'], i['table'], i['object_name']) for i in opts.get('ignore') or [] if (i.get('source_model_id') or '') == sid)

def counts(rules, ignored):
    out = {}
    for rid in E.RULE_IDS:
        es = rules.get(rid, [])
        live = [e for e in es if not E.is_ignored(ignored, rid, e[0])]
        out[rid] = (len(live), sum(1 for e in live if e[1] > 0), len(es) - len(live))
    return out

def pack(r, ids):
    fs = []
    for f in r['findings']:
        fs.append(dict(dimension=f['dimension'], source_model_id=ids[f['source']] if f['source'] is not None else '', table=f['table'], object_name=f['object_name'],
                       object_type=f['object_type'], rule_ids=f['rule_ids'], severity=f['severity'], violation=f['violation'], impact=f['impact'],
                       severities={k: E.SEVS[v] for k, v in f['sevs'].items()}, mentions=f['names']))
    return fs

def run(line):
    o = line.get('options') or {}
    kind = line['kind']
    if kind == 'agent':
        a = line['agent']
        srcs = [dict(id=s['id'], name=s['name'], selected=s['tables'], M=E.Model(load.model(s['model'], s.get('usage'))) if s['model'] is not None else None) for s in a['sources']]
        ad = dict(instructions=a['instructions'], publishedDescription=a['description'], sources=srcs)
        f = lambda s: ign(o, s['id'] if s else '')
        r = E.score_agent(ad, f)
        r2 = E.score_agent(ad, f, weighted=False)
        ids = [s['id'] for s in srcs]
    else:
        M = E.Model(load.model(line['model'], o.get('usage')))
        ig = ign(o, '')
        if kind == 'model':
            r = E.score_model(M, ig); r2 = E.score_model(M, ig, weighted=False); ids = ['']
        else:
            ad = dict(as_agent=True, sources=[dict(id='', name='', M=M, selected=[t.name for t in M.tables if t in M.X_model])])
            r = E.score_agent(ad, lambda s: ig); r2 = E.score_agent(ad, lambda s: ig, weighted=False); ids = ['']
    res = dict(score_exact=r['exact'], score_capped=None if r.get('raw_score') is None else r['capped'], caps=r['caps'], dimensions=r['dimensions'], rules=r['rule_r'], counts=r['counts'],
               unweighted_capped=r2['exact'], findings=pack(r, ids), sum_ok=r['sum_ok'])
    W = E.W_MODEL if kind == 'model' else E.W_AGENT
    if SHAPE:
        res = dict(score_exact=r['exact'], score_capped=res['score_capped'], unweighted_exact=r2['exact'], caps=r['caps'],
                   dimensions=[dict(id=d, weight=W[d], score=r['dimensions'].get(d), rules=[dict(id=x, k=E.RULES[x][1], eligible=r['counts'][x][0], failing=r['counts'][x][1], ignored=r['counts'][x][2], r=r['rule_r'].get(x))
                               for x in E.RULE_IDS if E.RULES[x][0] == d and x in r['counts']]) for d in E.DIMS if d in W], findings=res['findings'], sum_ok=r['sum_ok'])
    return dict(name=line['name'], kind=kind, result=res)

if __name__ == '__main__':
    SHAPE = True
    for l in open(sys.argv[1], encoding='utf-8'):
        if not l.strip(): continue
        out = run(json.loads(l))
        if not out['result']['sum_ok']: print('SUM!', out['name'], out['kind'], file=sys.stderr)
        sys.stdout.write(json.dumps(out, ensure_ascii=False, separators=(',', ':')) + '\n')
