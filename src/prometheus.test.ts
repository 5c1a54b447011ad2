import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { prometheusText, single } from './prometheus.ts'

test('metrics are written as Prometheus reads them, with quotes, backslashes and line ends of labels escaped', () => {
  const text = prometheusText([
    single('up', 'gauge', 'Whether it is.', 1),
    { name: 'none', type: 'counter', help: 'Left out.', samples: [] },
    {
      name: 'h',
      type: 'histogram',
      help: 'A histogram.',
      samples: [
        { suffix: '_bucket', labels: { path: 'a"b\\c\nd', le: '+Inf' }, value: 2 },
        { suffix: '_sum', value: 0.5 },
      ],
    },
  ])
  equal(
    text,
    [
      '# HELP up Whether it is.',
      '# TYPE up gauge',
      'up 1',
      '# HELP h A histogram.',
      '# TYPE h histogram',
      'h_bucket{path="a\\"b\\\\c\\nd",le="+Inf"} 2',
      'h_sum 0.5',
      '',
    ].join('\n'),
  )
})
