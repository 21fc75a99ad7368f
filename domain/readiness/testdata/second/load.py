"""Adapter: a line of inputs.jsonl (SHAPE.md) -> the plain dict that engine.Model reads."""
def schema(s):
    if s is None: return None
    def e(x):
        d = {'name': x['name'], 'synonyms': x.get('synonyms') or []}
        if x.get('visibility'): d['visibility'] = x['visibility']
        return d
    out = []
    for t in s.get('tables') or []:
        d = e(t)
        for k in ('columns', 'measures', 'hierarchies'): d[k] = [e(x) for x in t.get(k) or []]
        out.append(d)
    return {'tables': out}

def model(m, usage=None):
    cp = m['copilot']
    return dict(
        culture=m['culture'], functions=m.get('functions') or [], pbism={'': None, 'on': 'true', 'off': 'false', 'unset': 'absent'}[m['qna']],
        not_visible=cp['not_visible'], instructions=cp['instructions'], schema=schema(cp['schema']),
        verified=[dict(name=v['folder'], phrases=v['trigger_phrases'], fields=[(f['table'], f['name']) for f in v['fields']]) for v in cp['verified_answers']],
        usage=usage,
        tables=[dict(name=t['name'], description=t['description'], dataCategory=t['data_category'], hidden=t['is_hidden'], private=t['is_private'],
                     annotations=t['annotations'], calcGroup=t['calculation_items'],
                     columns=[dict(name=c['name'], description=c['description'], dataType=c['data_type'], summarizeBy=c['summarize_by'], hidden=c['is_hidden'],
                                   isKey=c['is_key'], isDefaultLabel=c['is_default_label'], rowNumber=c['is_row_number'], sortByColumn=c['sort_by_column'],
                                   dataCategory=c['data_category'], sourceColumn=c['source_column'], expression=c['expression'] or None,
                                   extendedProperties=c['extended_properties'], formatString=c.get('format_string') or '') for c in t['columns']],
                     measures=[dict(name=x['name'], description=x['description'], expression=x['expression'], formatString=x['format_string'],
                                    formatStringDefinition=x['format_string_definition'], displayFolder=x['display_folder'], hidden=x['is_hidden']) for x in t['measures']],
                     hierarchies=[dict(name=h['name'], hidden=h['is_hidden'], levels=[l['column'] for l in h['levels']]) for h in t['hierarchies']],
                     partitions=[dict(type=p['source_type'], expression=p['expression']) for p in t['partitions']]) for t in m['tables']],
        relationships=[dict(fromTable=r['from_table'], fromColumn=r['from_column'], toTable=r['to_table'], toColumn=r['to_column'], active=r['is_active'],
                            crossFilter=r['cross_filtering_behavior'], fromCardinality=r['from_cardinality'], toCardinality=r['to_cardinality']) for r in m['relationships']],
        cultures=[dict(name=c['name'], lsdl=dict(
            ([('CustomInstructions', c['custom_instructions'])] if c['custom_instructions'] is not None else []) +
            [('Entities', {str(i): {'Definition': {'Binding': dict([('ConceptualEntity', e['table'])] + ([('ConceptualProperty', e['property'])] if e['property'] else [])
                                                                   + ([('Hierarchy', 1)] if e['of_hierarchy'] else []))},
                                    'Terms': [{t['text']: ({'State': t['state']} if t['state'] else {})} for t in e['terms']]}
                           for i, e in enumerate(c['entities'])})])) for c in m['cultures']])
