#!/usr/bin/env python3
"""folders.py N FOLDER [SEED]: writes N models of gen.py as FOLDER/extra N.SemanticModel (model.bim, definition.pbism, Copilot/), which the Go tests read as public models:

    python3 folders.py 400 /some/models
    READINESS_CORPUS=/some/models READINESS_DUMP=/some/folder go test ./domain/readiness -run TestDump -count=1"""
import json, os, random, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen

def some(**d):
    """without empty members"""
    return {k: v for k, v in d.items() if v not in ('', None, False, [], {})}

def column(c, calculated):
    kind = 'rowNumber' if c['is_row_number'] else 'calculated' if c['expression'] else 'calculatedTableColumn' if calculated else ''
    return some(type=kind, name=c['name'], description=c['description'], dataType=c['data_type'], summarizeBy=c['summarize_by'], isHidden=c['is_hidden'], isKey=c['is_key'],
                isDefaultLabel=c['is_default_label'], sortByColumn=c['sort_by_column'], dataCategory=c['data_category'], sourceColumn='' if kind == 'calculated' else c['source_column'],
                expression=c['expression'], formatString=c.get('format_string', ''), extendedProperties=[dict(type='json', name=n, value={}) for n in c['extended_properties']])

def table(t):
    calculated = any(p['source_type'] == 'calculated' for p in t['partitions'])
    group = t['calculation_items']
    return some(name=t['name'], description=t['description'], dataCategory=t['data_category'], isHidden=t['is_hidden'], isPrivate=t['is_private'],
                columns=[column(c, calculated) for c in t['columns']],
                measures=[some(name=x['name'], description=x['description'], expression=x['expression'], formatString=x['format_string'], displayFolder=x['display_folder'],
                               isHidden=x['is_hidden'], formatStringDefinition=some(expression=x['format_string_definition'])) for x in t['measures']],
                hierarchies=[some(name=h['name'], isHidden=h['is_hidden'], levels=[dict(name=l['name'], ordinal=i, column=l['column']) for i, l in enumerate(h['levels'])])
                             for h in t['hierarchies']],
                partitions=[dict(name='p%d' % i, source=some(type=p['source_type'], expression=p['expression'])) for i, p in enumerate(t['partitions'])]) | \
        ({} if group is None else {'calculationGroup': {'calculationItems': group}})

def culture(c):
    entities = {'e%d' % i: dict(Definition=dict(Binding=dict(some(ConceptualEntity=e['table'], ConceptualProperty=e['property']), **({'Hierarchy': 'H'} if e['of_hierarchy'] else {}))),
                                Terms=[{t['text']: some(State=t['state'])} for t in e['terms']]) for i, e in enumerate(c['entities'])}
    content = dict(Version='1.0.0', Language=c['name'], Entities=entities)
    if c['custom_instructions'] is not None: content['CustomInstructions'] = c['custom_instructions']
    return dict(name=c['name'], linguisticMetadata=dict(content=content, contentType='json'))

def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8', newline='') as f: f.write(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))

def folder(m, path):
    rels = [some(name='r%d' % i, fromTable=r['from_table'], fromColumn=r['from_column'], toTable=r['to_table'], toColumn=r['to_column'], fromCardinality=r['from_cardinality'],
                 toCardinality=r['to_cardinality'], crossFilteringBehavior=r['cross_filtering_behavior']) | ({} if r['is_active'] else {'isActive': False})
            for i, r in enumerate(m['relationships'])]
    write(path + '/model.bim', dict(compatibilityLevel=1604, model=dict(culture=m['culture'], tables=[table(t) for t in m['tables']], relationships=rels, cultures=[culture(c) for c in m['cultures']])))
    write(path + '/definition.pbism', dict(version='4.2', settings={'on': {'qnaEnabled': True}, 'off': {'qnaEnabled': False}}.get(m['qna'], {})))
    cp = m['copilot']
    if cp['instructions'] is not None: write(path + '/Copilot/Instructions/instructions.md', cp['instructions'])
    if cp['schema'] is not None:
        entry = lambda e: some(name=e['name'], visibility=e['visibility'], synonyms=e['synonyms'])
        write(path + '/Copilot/schema.json', dict(tables=[entry(t) | {k: [entry(e) for e in t[k]] for k in ('columns', 'measures', 'hierarchies')} for t in cp['schema']['tables']]))
    for v in cp['verified_answers']:
        d = path + '/Copilot/VerifiedAnswers/definitions/' + v['folder']
        write(d + '/definition.json', dict(triggerPrompts=[dict(prompt=p) for p in v['trigger_phrases']]))
        write(d + '/visualSource.json', dict(fields=[{'Column': dict(Expression=dict(SourceRef=dict(Entity=f['table'])), Property=f['name'])} for f in v['fields']]))

if __name__ == '__main__':
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    for seed in range(first, first + int(sys.argv[1])):
        folder(gen.any_model(random.Random(70000 + seed)), os.path.join(sys.argv[2], 'extra %d.SemanticModel' % seed))
