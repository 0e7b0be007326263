/**
 * Charts as SVG text, drawn by Apache ECharts without a DOM. Colours are CSS variables of the page, so that one drawing
 * fits both light and dark mode. The charts are static: they have no animation and do not react to the pointer.
 */
import * as echarts from 'echarts';

export interface Series {
  readonly name: string;
  /** A CSS colour. */
  readonly color: string;
  /** One value per category; null where there is not one. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  /** Name of the value axis. */
  readonly unit: string;
  /** A value to draw a line at, e.g. 1 for ratios. */
  readonly reference?: number;
  /** Range of the value axis, which begins at 0 by default. */
  readonly range?: readonly [least: number, most: number];
  readonly width?: number;
  readonly height?: number;
}

const TEXT = 'var(--text)';
const LINE = 'var(--line)';

export const bars = (chart: Chart): string =>
  draw(chart, (each) => ({ type: 'bar', barGap: '0%', barCategoryGap: '25%', itemStyle: { color: each.color } }));

export const lines = (chart: Chart): string =>
  draw(chart, ({ color }) => ({
    type: 'line',
    symbolSize: 6,
    lineStyle: { color, width: 2 },
    itemStyle: { color },
  }));

function draw(chart: Chart, style: (series: Series) => object): string {
  const { categories, unit, reference, range = [0, undefined], width = 1160, height = 320 } = chart;
  const series = chart.series.map((each, index) => ({
    ...style(each),
    name: each.name,
    color: each.color,
    data: each.values.map((value) => value ?? '-'),
    silent: true,
    emphasis: { disabled: true },
    ...(index === 0 && reference !== undefined
      ? {
          markLine: {
            silent: true,
            symbol: 'none',
            label: { show: false },
            lineStyle: { color: TEXT, type: 'dashed' },
            data: [{ yAxis: reference }],
          },
        }
      : {}),
  }));
  const axis = { axisLabel: { color: TEXT }, axisLine: { lineStyle: { color: LINE } }, axisTick: { show: false } };
  const crowded = categories.length * 60 > width;
  const option = {
    animation: false,
    textStyle: { fontFamily: 'system-ui, sans-serif', color: TEXT },
    legend: { top: 0, itemGap: 28, selectedMode: false, itemWidth: 14, textStyle: { color: TEXT } },
    grid: { left: 56, right: 12, top: 40, bottom: crowded ? 76 : 32 },
    xAxis: {
      type: 'category',
      data: categories,
      ...axis,
      axisLabel: { color: TEXT, interval: 0, rotate: crowded ? 60 : 0, fontSize: 11 },
    },
    yAxis: {
      type: 'value',
      name: unit,
      nameTextStyle: { color: TEXT },
      min: range[0],
      ...(range[1] === undefined ? {} : { max: range[1] }),
      ...axis,
      splitLine: { lineStyle: { color: LINE } },
    },
    series,
  };
  const instance = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    instance.setOption(option as echarts.EChartsOption);
    return instance.renderToSVGString();
  } finally {
    instance.dispose();
  }
}
