"""random models that stress what the other generator does not reach (INS-11, NAM-07, Date tables, nested VAR, comments, schema, long chains) and the
departures P1 to P22 of docs/regime-precision.md (plant).

    gen.py N             prints N models, as a model, as_agent and agent
    gen.py N reached     prints instead how often each departure was reached, and in how many lines"""
import os, random, json, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine import RULE_IDS as RULES
FORMATS = ['', '', '0', ' 0', '0.0', '0.0%', '\\$#,0', '#,0 €']
PLANTED = ('Row Hash|Hash|Hash of Customer|MD5 Hash Value|Batch|Batch Id|Id Batch|Load Batch|Batch Number|Import Run Batch|Created By|Updated By Name|Inserted By|'
    'Modified By Guid|Order Ids|Customer Key|CustomerId|Cstmr Id|Order Guid|Event Type|Status Code|Reason|Sales Channel|Run Hours|Order Day|Stay Age|Loaded Date|'
    'Date Exported|Ingested At|Dummy Flag|Placeholder|Modified Date|Updated On|Refreshed At|Order Date|Ship Date|Order Date Key|Ship Date Time|Date|Date Key|'
    'Delivery Day|Net.Sales_Amount|NET_SALES|net_sales|NetSales|客户_名称|Ünit_Ä|A.B|a.b_c|Wk No|Fiscal Mth|Turnover|Weight|Region Cd|Customer Id|Product Code|'
    'Account Number|Account No|Start Date|End Date|Order Start|Order End Time|Order Date (UTC)|Valid From|Valid To|Submit Time|Order Count Id|Sum No|Upd Ts|updated_timestamp|Loaded TS|Ts Modified|Is Late|Has Cost|InStock|Is|Num of Items|'
    'Number of Legs|Count of|Item Count|Count|Build Version|Site Nm|Nm|Close Dt|Reason Cd|RGN_CD|ACCT_NM|LEAD_SRC|Max Load|Minimum|Lost Percentage|Country|City Name|'
    'Latitude|Lat|Title|Name|Zip No|Ab Cd Kg x y|DTs').split('|')
COUNTED = ['# Orders', '# Customers Served', 'Number of Rows', 'Count of Orders', 'Order Count', 'Order Counts', 'Rows Nmbr Count', 'Number Orders', 'Orders']
W='Sales Net Order Ship Date Customer Product City Country Region State Code Name Price Unit List Amount in EUR Qty Total Count % Pct Rate Year Month Day Week Created By On At Modified Load Time Row Id Guid IOD BPA ETL SQL KPIs CUs DTU Tooltip Text Title Label Helper SVG x y 3 M (s) [k] # € Δ ∆ Status Flag Type Level Weekday Calendar Fiscal Number Zip Latitude Email Is Active R&D P&L US'.split()
TBL='Sales|Order Lines|Customers|Product|Dates|Calendar|Store Visits|dim_Geo|FactStock|Periods|Key Measures|What If|Returns|City Facts|Dim Promo|KPI'.split('|')
def name(r):
    n=r.randint(1,4); ws=[r.choice(W) for _ in range(n)]
    s=r.choice([' ',' ',' ','','_']).join(ws)
    k=r.random()
    if k<.06: s=s.upper()
    elif k<.1: s=s.lower()
    elif k<.14: s=r.choice('_.')+s
    elif k<.16: s=' '+s
    elif k<.18: s=s.replace(' ','  ')
    elif k<.2: s=r.choice(['tmp ','zz_','debug-','test '])+s
    return s
def desc(r,nm,tabs):
    return r.choice(['','', '.', ' ', nm+'.', 'The '+nm.lower(), 'The %s of the %s'%(nm,r.choice(tabs)), 'Paid by the buyer, before returns are taken off.', 'Gross weight in kilos as on the label, box included.', 'y'*205, 'The calendar date of each row', 'Companies and entries', 'net', 'Sum of '+nm+' per '+r.choice(tabs)+'s', 'Is true when the order left the house', '%s (%s)'%(nm,nm), 'Days from order to shipment; blank while open.', ' Unique identifier for the table. ', 'Rate − used'])
def ref(r,m):
    t=r.choice(m['tables']); 
    k=r.random()
    cs=[c['name'] for c in t['columns']]+[x['name'] for x in t['measures']]
    c=r.choice(cs) if cs else 'zz'
    ms=[x['name'] for tt in m['tables'] for x in tt['measures']]
    if k<.4 and ms: return '[%s]'%r.choice(ms).replace(']',']]')
    if k<.45: return '[%s]'%c.replace(']',']]')
    if k<.48: return "Nowhere[%s]"%c.replace(']',']]')
    if k<.51: return "'%s'[gone]"%t['name']
    if k<.53: return "'%s' [%s]"%(t['name'],c.replace(']',']]'))
    if k<.6 and ' ' not in t['name']: return '%s[%s]'%(r.choice([t['name'],t['name'].upper()]),c.replace(']',']]'))
    return "'%s'[%s]"%(t['name'],r.choice([c,c,c.lower()]).replace(']',']]'))
def expr(r,m,d=0):
    R=lambda: ref(r,m); E=lambda: expr(r,m,d+1)
    if d>2: return r.choice([R(),'1','"t"','BLANK()'])
    k=r.randrange(34)
    return [lambda:'SUM(%s)'%R(), lambda:R(), lambda:R(), lambda:'%s / %s'%(E(),E()), lambda:'%s / -(1 + 2)'%E(), lambda:'%s/ 1e3'%E(), lambda:'%s / .5'%E(), lambda:'%s / (1 / (2))'%E(), lambda:'%s / ( %s )'%(E(),R()),
      lambda:'VAR a = %s VAR b = a RETURN b'%E(), lambda:'VAR a = VAR c = %s RETURN c RETURN a'%E(), lambda:'VAR t = FILTER(%s, 1) RETURN SUMX(t, t[%s])'%(r.choice(m['tables'])['name'].replace(' ',''),'q'),
      lambda:'IF(%s, %s, %s)'%(E(),E(),r.choice(['BLANK()','BLANK( )',E()])), lambda:'SWITCH(TRUE(), %s, %s, %s, %s%s)'%(R(),E(),R(),E(),r.choice(['',', '+E()])), lambda:'FORMAT(%s, "0")'%R(),
      lambda:'"a" & %s'%E(), lambda:'(%s & "x")'%E(), lambda:'(%s) && (%s)'%(E(),E()), lambda:'CALCULATE(%s, USERELATIONSHIP(%s, %s))'%(E(),R(),R()), lambda:'TOTALYTD (%s, %s)'%(E(),R()),
      lambda:'SELECTEDVALUE(%s)'%R(), lambda:'MAX(%s)'%R(), lambda:'LOOKUPVALUE(%s, %s, 1)'%(R(),R()), lambda:'// note [x]\n%s -- end\n'%E(), lambda:'/* '+R()+' */ '+E(), lambda:'COALESCE(%s, %s)'%(E(),E()),
      lambda:'SUMX(SELECTCOLUMNS(%s, "P[q]", 1), P[q])'%R(), lambda:'SUM(%s'%R(), lambda:'%s + "open'%R(), lambda:'DIVIDE(%s, %s)'%(E(),E()), lambda:'IFERROR(%s, "none")'%E(), lambda:'CONCATENATEX(VALUES(%s), %s)'%(R(),R()),
      lambda:'NOT [%s]'%'x', lambda:'{ %s & "x" }'%R()][k]()
def synl(r): return [r.choice(['revenue','net','sales','units','Order','turnover',''])+r.choice(['',' x']) for _ in range(r.choice([0,0,0,1,2]))]
def vis(r): return r.choice(['','','Auto','Visible','Visible','Hidden','Hidden','Odd'])
def instr(r,m):
    ms=[x['name'] for t in m['tables'] for x in t['measures']] or ['Sales']
    R=lambda:ref(r,m); M=lambda:'['+r.choice(ms)+']'
    T=lambda:r.choice(['Revenue','revenue','net sales','**Turnover**','units or pieces','a, b and c','Net/Gross','margin','the Revenue','RevenueNet','revenue net'])
    out=[]
    for _ in range(r.randint(1,9)):
        out.append(r.choice([lambda:'# '+T(), lambda:'- %s means %s.'%(T(),M()), lambda:'* %s: use %s, not %s'%(T(),M(),R()), lambda:'%s is %s'%(T(),r.choice([M(),R()])), lambda:'%s = %s'%(T(),M()), lambda:'1. %s -> %s'%(T(),M()),
          lambda:'%s → %s'%(T(),R()), lambda:'Use %s for %s.'%(M(),T()), lambda:'Always prefer %s when asked for %s, else %s'%(R(),T(),M()), lambda:'Do not use %s; use %s for %s'%(R(),M(),T()), lambda:'Never show %s, %s refers to %s'%(R(),T(),M()),
          lambda:'Hidden: %s.'%R(), lambda:'[link](http://x) and %s'%R(), lambda:'By default the fiscal year is meant; %s'%R(), lambda:'%s stands for %s and is defined as %s'%(T(),R(),M()), lambda:'', lambda:'By "%s" we mean the date of %s'%(R(),r.choice(m['tables'])['name']),
          lambda:'%s %s'%('long '*r.choice([3,20]) , 'means '+M()), lambda:'Exclude, %s, %s'%(R(),R()), lambda:"'%s'[%s]"%(r.choice(m['tables'])['name'],'nope')])())
    return r.choice(['\n','\n','\r\n']).join(out)
def model(r):
    tn=r.sample(TBL,r.randint(2,6)); 
    if r.random()<.1: tn.append('LocalDateTable_1')
    T=[]; used=set(); pre=r.choice(['','','x_','AB_'])
    for n in tn:
        cols=[]; seen=set()
        calc=r.random()<.2
        for _ in range(r.choice([0,1,2,3,4,5,7])):
            c=name(r)
            if pre and r.random()<.6: c=pre+c
            if c.lower() in seen: continue
            seen.add(c.lower())
            cols.append(dict(name=c,description='',data_type=r.choice(['string','string','int64','decimal','double','dateTime','dateTime','boolean','','binary']),summarize_by=r.choice(['none','none','sum','','default','count','distinctCount','average']),is_hidden=r.random()<.2,is_key=r.random()<.1,
              is_default_label=r.random()<.1,is_row_number=r.random()<.03,sort_by_column='',data_category=r.choice(['','','','City','Uncategorized']),source_column=r.choice([c,c,c,'Name']) if not calc else r.choice(['[Date]','[Year]','['+c+']']),expression='',extended_properties=['ParameterMetadata'] if r.random()<.02 else []))
        for c in cols:
            c['description']=desc(r,c['name'],tn)
            if r.random()<.15: c['sort_by_column']=r.choice(cols)['name']
            if calc and c['source_column']=='[Date]' and r.random()<.7: c['data_type']=''
        ms=[]
        for _ in range(r.choice([0,0,1,3,5,12])):
            x=name(r)
            if pre and r.random()<.4: x=pre+x
            if x.lower() in used or x.lower() in seen: continue
            used.add(x.lower())
            ms.append(dict(name=x,description=desc(r,x,tn),expression='',format_string=r.choice(['','0']),format_string_definition=r.choice(['','','"0"']),display_folder=r.choice(['','F',' ']),is_hidden=r.random()<.2))
        cg=None
        if r.random()<.08: cg=[dict(name='I%d'%i,expression='') for i in range(r.randint(0,3))]
        T.append(dict(name=n,description=desc(r,n,tn),data_category=r.choice(['','','','Time','time']),is_hidden=r.random()<.15,is_private=r.random()<.05,annotations=[],columns=cols,measures=ms,
          hierarchies=[dict(name='H',is_hidden=r.random()<.2,levels=[dict(name=c['name'],column=c['name']) for c in cols[:r.randint(0,3)]])] if cols and r.random()<.3 else [],
          partitions=[dict(source_type='calculated',expression=r.choice(['CALENDAR(1,2)','CALENDARAUTO ()','{1}','GENERATESERIES(1,3)','FILTER(CALENDAR[x],1)','// CALENDAR(1,2)\n{1}']))] if calc else [dict(source_type='m',expression='')],calculation_items=cg))
    m=dict(culture='en-US',qna=r.choice(['','on','off','unset']),tables=T,relationships=[],cultures=[],copilot={})
    for t in T:
        for x in t['measures']:
            x['expression']=expr(r,m) if r.random()<.95 else r.choice(['',' '])
        for x in t['calculation_items'] or []:
            x['expression']=expr(r,m)
            if t['columns'] and r.random()<.4: t['columns'][0]['description']+=' '+x['name']
        for c in t['columns']:
            if r.random()<.08: c['expression']=expr(r,m)
    # a date dimension now and then: one dateTime key and date parts
    if r.random()<.5:
        d=dict(name='Time Axis',description='',data_category='',is_hidden=False,is_private=False,annotations=[],measures=[],hierarchies=[],partitions=[dict(source_type='m',expression='')],calculation_items=None,
          columns=[dict(T[0]['columns'][0] if T[0]['columns'] else dict(description='',summarize_by='',is_hidden=False,is_key=False,is_default_label=False,is_row_number=False,sort_by_column='',data_category='',extended_properties=[]),name=n,data_type='dateTime' if i==0 else 'int64',expression='1' if n=='Z' else '',source_column=n) for i,n in enumerate(['Dt']+r.sample(['Year','Quarter No','Yearly','Z','Season','Sorting'],r.randint(0,3)))])
        T.append(d)
        for t in T[:-1]:
            if t['columns'] and r.random()<.5:
                c=r.choice(t['columns']); c['data_type']=r.choice(['dateTime','int64'])
                m['relationships'].append(dict(from_table=t['name'],from_column=c['name'],to_table='Time Axis',to_column='Dt',from_cardinality='many',to_cardinality=r.choice(['one','one','one','many']),cross_filtering_behavior=r.choice(['oneDirection','oneDirection','bothDirections']),is_active=r.random()<.7))
    CT=[t for t in T if t['columns']]
    for _ in range(r.choice([0,1,2,3,4,6])):
        if len(CT)<2: break
        a,b=r.sample(CT,2); fc=r.choice(a['columns'])['name']; tc=r.choice(b['columns'])['name']
        if r.random()<.05: tc='missing'
        m['relationships'].append(dict(from_table=a['name'],from_column=fc,to_table=b['name'],to_column=tc,from_cardinality=r.choice(['many','many','many','one']),to_cardinality=r.choice(['one','one','one','many']),cross_filtering_behavior=r.choice(['oneDirection','oneDirection','bothDirections','automatic']),is_active=r.random()<.75))
    seen=set(); rl=[]
    for x in m['relationships']:
        k=(x['from_table'],x['from_column'],x['to_table'],x['to_column'])
        if k not in seen: seen.add(k); rl.append(x)
    m['relationships']=rl
    ents=[]
    for t in T:
        if r.random()<.3: ents.append(dict(table=r.choice([t['name'],t['name'].upper()]),property='',of_hierarchy=False,terms=[dict(text=s,state=r.choice(['','Authored','User','Generated','Deleted','Suggested'])) for s in synl(r)]))
        for o in t['columns']+t['measures']:
            if r.random()<.25: ents.append(dict(table=t['name'],property=o['name'],of_hierarchy=r.random()<.05,terms=[dict(text=s,state=r.choice(['','Authored','User','Generated','Deleted'])) for s in synl(r)]))
    if r.random()<.6: m['cultures']=[dict(name=r.choice(['en-US','de-DE']),custom_instructions=instr(r,m) if r.random()<.2 else None,entities=ents)]
    sch=None
    if r.random()<.55:
        sch=dict(tables=[dict(name=r.choice([t['name'],t['name'].lower()]),visibility=vis(r),synonyms=synl(r),columns=[dict(name=c['name'],visibility=vis(r),synonyms=synl(r)) for c in t['columns'] if r.random()<.8],
          measures=[dict(name=c['name'],visibility=vis(r),synonyms=synl(r)) for c in t['measures'] if r.random()<.8],hierarchies=[dict(name='H',visibility=vis(r),synonyms=[]) for h in t['hierarchies'] if r.random()<.5]) for t in T if r.random()<.85])
    va=[]
    for i in range(r.choice([0,0,1,2])):
        fs=[]
        for _ in range(r.randint(0,4)):
            t=r.choice(T); cs=[c['name'] for c in t['columns']+t['measures']]+['nope']
            fs.append(dict(table=t['name'],name=r.choice(cs)))
        va.append(dict(folder='v%d'%i,trigger_phrases=[r.choice(['how many','what','',' ','z'*501 if r.random()<.1 else 'q']) for _ in range(r.choice([0,1,4,5,15,16]))],fields=fs))
    m['copilot']=dict(not_visible=r.random()<.06,instructions=instr(r,m) if r.random()<.65 else r.choice([None,None,'','  ']),schema=sch,verified_answers=va)
    return m
def column(name, **more):
    return dict(dict(name=name, description='', data_type='string', summarize_by='none', is_hidden=False, is_key=False, is_default_label=False, is_row_number=False,
                     sort_by_column='', data_category='', source_column=name, expression='', extended_properties=[], format_string=''), **more)
def measure(name, expression, **more):
    return dict(dict(name=name, description='', expression=expression, format_string='', format_string_definition='', display_folder='', is_hidden=False), **more)
def table(name, columns, measures=(), **more):
    return dict(dict(name=name, description='', data_category='', is_hidden=False, is_private=False, annotations=[], columns=columns, measures=list(measures), hierarchies=[],
                     partitions=[dict(source_type='m', expression='')], calculation_items=None), **more)
def relation(a, ac, b, bc, **more):
    return dict(dict(from_table=a, from_column=ac, to_table=b, to_column=bc, from_cardinality='many', to_cardinality='one', cross_filtering_behavior='oneDirection',
                     is_active=True), **more)
def new_column(r, t, c):
    if any(x['name'].lower() == c['name'].lower() for x in t['columns'] + t['measures']): return False
    t['columns'].insert(r.randint(0, len(t['columns'])), c)
    return True
def counting(r, m):
    t = r.choice(m['tables'])
    c = "'%s'[%s]" % (t['name'], r.choice(t['columns'])['name']) if t['columns'] else '[x]'
    e = r.choice(['COUNTROWS(\'%s\')' % t['name'], 'COUNT(%s)' % c, 'DISTINCTCOUNT(%s)' % c, 'COUNTX(\'%s\', 1)' % t['name'], 'COUNTA(%s)' % c, 'DISTINCTCOUNTNOBLANK(%s)' % c,
                  'COUNTBLANK(%s)' % c, 'COUNTROWS(\'%s\') + 0' % t['name']] + ['[%s]' % x['name'] for q in m['tables'] for x in q['measures']][:3])
    f = c.replace('%', '%%')
    return r.choice(['CALCULATE(%s, ' + f + ' = 1)', 'CALCULATE(%s, (TRUE() == ' + f + '))', 'CALCULATE((%s), ' + f + ' = -1, ' + f + ' = "a b")', 'CALCULATE(%s, ' + f + ' > 1)',
                     'CALCULATE(%s, ' + f + ' = NOT 1)', 'CALCULATE(%s, 1 = 1)'] if r.random() < .4 else ['%s', '%s', '( %s )', '// rows\n%s', 'VAR n = %s RETURN n', 'CALCULATE(%s, ALL())', 'CALCULATE(CALCULATE((%s)), 1)', 'VAR n = CALCULATE(%s) RETURN CALCULATE(n, 1)',
                     'VAR n = %s RETURN n + 1', 'IF(TRUE(), %s)']) % e
def plant(r, m):
    """what reaches the departures"""
    T = m['tables']; by = {t['name']: t for t in T}
    for t in T:
        for c in t['columns']: c['format_string'] = r.choice(FORMATS)
        for x in t['measures']:
            if r.random() < .5: x['format_string'] = r.choice(FORMATS)
        for n in r.sample(PLANTED, r.choice([0, 0, 1, 2, 4])):
            new_column(r, t, column(n, data_type=r.choice(['string', 'string', 'int64', 'double', 'dateTime', 'dateTime', '']), summarize_by=r.choice(['none', 'none', '', 'sum']),
                                    is_hidden=r.random() < .15, format_string=r.choice(FORMATS), description=r.choice(['', '', 'What it weighs on the scale.'])))
    if r.random() < .7:                                       # P3, P6
        for n in r.sample(COUNTED, r.choice([1, 2, 3])):
            t = r.choice(T)
            if not any(n == x['name'] for q in T for x in q['measures'] + q['columns']):
                t['measures'].append(measure(n, counting(r, m), format_string=r.choice(['', '', '0']), description=r.choice(['', '', 'Orders that left the house.'])))
    ms = [x for t in T for x in t['measures']]
    if len(ms) > 1 and r.random() < .5:                       # P7
        for _ in range(r.choice([1, 1, 3])):
            a, b = r.sample(ms, 2)
            a['expression'] = r.choice([b['expression'], b['expression'], '[%s]' % b['name'].replace(']', ']]')])
            a['format_string'], b['format_string'] = r.choice(FORMATS), r.choice(FORMATS)
    if r.random() < .35: m['relationships'] = [x for x in m['relationships'] if r.random() < .15]       # P11
    if r.random() < .4 and len(T) > 1:                        # P11: a key of one table in others
        for t in r.sample(T, r.choice([2, 2, min(3, len(T))])):
            new_column(r, t, column('Parcel Id', data_type=r.choice(['int64', 'int64', 'string']), is_key=r.random() < .5, is_hidden=r.random() < .3))
    for _ in range(r.choice([0, 0, 1, 2])):
        n, ty = r.choice(['Customer Id', 'Product Code', 'Region Cd', 'Account Number', 'Account No']), r.choice(['string', 'int64'])
        for t in r.sample(T, min(len(T), r.choice([2, 3]))):
            new_column(r, t, column(r.choice([n, n, n.replace(' ', '_'), n.replace(' ', '')]), data_type=r.choice([ty, ty, ty, '']), is_hidden=r.random() < .2))
    if r.random() < .4:                                       # P2, P5, P12, P13: a chain of dimensions
        names = [n for n in r.sample(['Product', 'Dim Category', 'Subcategories', 'Fact Category', 'f_Groups', 'FctLine', 'dim', 'Currency', 'DimStores', 'Group Batch'], 4) if n not in by]
        for n in names:
            w = n.replace('Dim', '').replace('dim', '').strip()
            k = r.choice([w, w, w, w + 's', w[:-1] + 'ies', w[:-1], 'Parent ' + w]) if w else ''
            t = table(n, [column('K'), column('U')])
            new_column(r, t, column((k + r.choice([' Key', ' Id', 'Id', ' Code'])).strip(), is_hidden=r.random() < .3))
            new_column(r, t, column((r.choice([k, k, k, w]) + r.choice([' Name', ' Name', 'Name', ' Label'])).strip()))
            if r.random() < .4:
                new_column(r, t, column(r.choice(['Weight', 'Price']), data_type='double', summarize_by=r.choice(['', 'sum', 'none'])))
                if r.random() < .5 and ms: r.choice(ms)['expression'] = 'SUM(\'%s\'[%s])' % (n, t['columns'][-1]['name'])
            T.append(t); by[n] = t
        for a, b in zip(names, names[1:]):
            if r.random() < .8: m['relationships'].append(relation(a, 'U', b, 'K', cross_filtering_behavior=r.choice(['oneDirection', 'bothDirections']), to_cardinality=r.choice(['one', 'one', 'one', 'many']),
                                                                   is_active=r.random() < .9))
        if len(names) > 2 and r.random() < .5: m['relationships'].append(relation(names[0], 'K', names[-1], 'K'))
        f = table('Movements', [column('P'), column('Q')] + [column(n, data_type='dateTime') for n in r.sample(
            ['Order Date', 'Order Date Time', 'Ship Date', 'Created By Date', 'Loaded Date', 'Date', 'Exported Period', 'Modified Date', 'Updated At', 'Ship'], r.choice([1, 2, 3]))])
        if names and 'Movements' not in by:
            T.append(f)
            m['relationships'].append(relation('Movements', 'P', names[0], 'K', cross_filtering_behavior=r.choice(['oneDirection', 'bothDirections'])))
            if len(names) > 1 and r.random() < .5: m['relationships'].append(relation('Movements', 'Q', names[1], 'K', to_cardinality=r.choice(['one', 'many']), cross_filtering_behavior='bothDirections'))
    if r.random() < .25 and 'Visit Dates' not in by:          # P14, P15
        T.append(table('Visit Dates', [column(n, data_type=y) for n, y in r.sample([('Day', 'dateTime'), ('Moment', 'dateTime'), ('Year', 'int64'), ('Room', 'string'), ('Mth Name', 'string')], r.choice([1, 2, 2, 3]))]))
    if r.random() < .15: m['relationships'] = []              # P11: nothing says what a key is
    if r.random() < .12:
        for t in T:
            for c in t['columns']: c['is_key'] = False
    if r.random() < .3:                                       # P20, P6: types by DATATABLE
        kinds = r.choice(['STRING', 'string', 'INTEGER', 'DateTime', 'DOUBLE', 'CURRENCY', 'BOOLEAN', 'VARIANT']), r.choice(['INTEGER', 'DATETIME', 'STRING', '"STRING"'])
        e = r.choice(['DATATABLE("Unit", %s, "Date", %s, {{"a", 1}})', '(datatable("unit", %s, "Date", %s, {{1}})) -- x', 'DATATABLE("Unit", %s, "Unit", STRING, "Date", %s)',
                      'DATATABLE("U""it", %s, "Date", %s, {{1, 2}})', 'UNION(DATATABLE("Unit", %s, "Date", %s, {{1}}), {1})']) % kinds
        if 'Units' not in by:
            t = table('Units', [column('Unit', data_type=r.choice(['', '', 'int64']), source_column='[Unit]'), column('Date', data_type='', source_column='[Date]'), column('Quote', data_type='', source_column='[U"it]')],
                      partitions=[dict(source_type='calculated', expression=e)])
            T.append(t); by['Units'] = t
            for n, x in (('Chosen', 'SELECTEDVALUE(Units[Unit])'), ('Chosen Date', 'MAX(Units[Date])'), ('Chosen or', 'IF(TRUE(), MIN(Units[Quote]), "b")')):
                if r.random() < .5 and not any(n == x['name'] for q in T for x in q['measures'] + q['columns']): r.choice(T)['measures'].append(measure(n, x))
    if r.random() < .3 and 'Bins' not in by:                  # P2 e, P21
        T.append(table('Bins', [column(r.choice(['Bin', 'Max Bin', 'Is Bin', 'Bin Id']), data_type=r.choice(['dateTime', 'int64', 'int64']), summarize_by=r.choice(['sum', '', 'count', 'none']), is_hidden=r.random() < .1)]))
    if r.random() < .3 and 'Regions' not in by:               # P2 f
        T.append(table(r.choice(['Regions']), [column(n, is_hidden=r.random() < .1) for n in ['Region Id'] + r.sample(['Country', 'Continent', 'Geography', 'RegionName', 'State Name', 'Location', 'Note'], 4)]))
        f = r.choice(T)
        if f['columns']: m['relationships'].append(relation(f['name'], r.choice(f['columns'])['name'], 'Regions', 'Region Id', to_cardinality=r.choice(['one', 'one', 'many']), is_active=r.random() < .9))
    for n in r.sample(['RGN_CD', 'Batch No', 'Order Number'], r.choice([0, 1, 2])):         # P9: codes in common
        ty = r.choice(['string', 'int64', ''])
        for t in r.sample(T, min(len(T), 3)): new_column(r, t, column(n, data_type=r.choice([ty, ty, ty, ty, 'double'])))
    for n, x in r.sample([('_aid', '1 + 1'), ('Build', '"2026.1"'), ('Level Max', '(-3) // x'), ('Open', 'TRUE()'), ('Gap', '- - 3'), ('Shut', 'FALSE(1)')], r.choice([0, 1, 3])):     # P3
        if not any(n == y['name'] for q in T for y in q['measures'] + q['columns']): r.choice(T)['measures'].append(measure(n, x))
    return m
def small(r):
    """P4, P16: a model of few or many plain fields, mostly without instructions and schema"""
    words = 'Height Weight Colour Shape Origin Maker Buyer Seller Volume Margin Budget Forecast Rebate Freight Duty Levy Bonus Salary Pension Leave Shift Site Floor Room Shelf Lane Truck Driver Route Stop Fuel Toll Tyre Engine'.split()
    n = r.choice([0, 1, 2, 3, 4, 9, 10, 11, 12, 30, 31, 32])
    cols = [column(w, data_type=r.choice(['string', 'double'])) for w in words[:n]]
    for c in cols:
        if r.random() < .08: c['name'] = r.choice(['Column%d', 'Field %d', 'Row Hash %d']) % r.randint(1, 99)
    t = table('Things', cols, is_hidden=r.random() < .1)
    if r.random() < .4: t['measures'].append(measure('Helped', '1', is_hidden=r.random() < .3))
    if r.random() < .3: cols.append(column(r.choice(['Dummy Name', 'Placeholder', 'ETL Name', 'Created By'])))
    return dict(culture='en-US', qna='on', tables=[t], relationships=[], cultures=[], copilot=dict(not_visible=False, instructions=r.choice([None, None, '', 'Use [Helped].']), schema=None, verified_answers=[]))
def any_model(r): return small(r) if r.random() < .15 else plant(r, model(r))
def usage(r,m):
    if r.random()<.5: return None
    return {t['name']:{o['name']:r.choice([0,1,3,40,900]) for o in t['columns']+t['measures'] if r.random()<.6} for t in m['tables'] if r.random()<.8}
if __name__=='__main__':
    n=int(sys.argv[1])
    if len(sys.argv)>2:
        import score, engine
        from collections import Counter
        sys.setrecursionlimit(10000)
        lines=Counter()
        def print(l):
            before=dict(engine.REACHED); q=json.loads(l); q=score.run(q)
            if not q['result']['sum_ok']: sys.stderr.write('SUM! %s %s\n'%(q['name'],q['kind']))
            lines.update(k for k,v in engine.REACHED.items() if v>before.get(k,0))
    for seed in range(n):
        r=random.Random(7000+seed); m=any_model(r); u=usage(r,m)
        ig=[]
        if r.random()<.3:
            for t in m['tables']:
                for o in [dict(name='')]+t['columns']+t['measures']:
                    if r.random()<.2: ig.append(dict(rule=r.choice(RULES),source_model_id='',table=t['name'],object_name=o['name']))
            for rr in ('INS-01','INS-03','INS-10','INS-11','NAM-07','TIM-01','VIS-01'):
                if r.random()<.2: ig.append(dict(rule=rr,source_model_id='',table='',object_name=r.choice(['#'+rr,'#INSTRUCTIONS'])))
        for k in ('model','as_agent'):
            print(json.dumps(dict(name='extra %d'%seed,kind=k,model=m,options=dict(usage=u,ignore=ig)),ensure_ascii=False,separators=(',',':')))
        m2=any_model(r)
        tb=lambda x:[t['name'] for t in x['tables'] if r.random()<.7]+(['Gone'] if r.random()<.2 else [])
        srcs=[dict(id='1',name='First Model',tables=tb(m),model=m,usage=u)]
        if r.random()<.6: srcs.append(dict(id='2',name='Second Model',tables=tb(m2)+['t%d'%i for i in range(r.choice([0,0,30]))],model=m2,usage=usage(r,m2)))
        if r.random()<.3: srcs.append(dict(id='3',name='Lake',tables=['a'],model=None,usage=None))
        a=dict(instructions=r.choice(['',instr(r,m),instr(r,m)+' First Model, second model and Lake. '+instr(r,m2)]),description=r.choice(['',' ','short','a description of forty runes or a few more']),sources=srcs)
        ig2=[]
        if r.random()<.3: ig2=[dict(rule=q,source_model_id=r.choice(['','1','2']),table=r.choice(['']+[t['name'] for t in m['tables']]),object_name=r.choice(['','#'+q,'First Model'])) for q in RULES if r.random()<.3]
        print(json.dumps(dict(name='extra %d'%seed,kind='agent',agent=a,options=dict(usage=None,ignore=ig2)),ensure_ascii=False,separators=(',',':')))
    if len(sys.argv)>2:
        for k in sorted(lines): sys.stdout.write('%s: %d objects in %d of %d lines\n'%(k,engine.REACHED[k],lines[k],3*n))
