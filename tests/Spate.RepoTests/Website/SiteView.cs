using System.Collections.Concurrent;
using Microsoft.Playwright;

namespace Spate.RepoTests.Website;

/// <summary>A tab of the browser that collects the faults of the pages that it shows.</summary>
internal sealed class SiteView
{
    // Text or an image is cut off if it is outside the window, or in a box that hides a part of its content, unless a
    // box around it scrolls. A closed menu waits outside.
    private const string CutOff = """
        () => {
          const scrolls = e => e && e !== document.body && e !== document.documentElement &&
            (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
          const name = e => `<${e.localName} class="${e.getAttribute('class')}"> ${e.textContent.trim().slice(0, 60)}`;
          const shows = e => /^(img|svg)$/.test(e.localName) ||
            [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim());
          const cut = [];
          if (document.documentElement.scrollWidth > innerWidth)
            cut.push(`the page is ${document.documentElement.scrollWidth} px wide`);
          for (const e of document.querySelectorAll('main *, header *, footer *')) {
            const box = e.getBoundingClientRect();
            const inClosedMenu = e.closest('[class*=offcanvas]:not(.show)') && innerWidth < 768;
            if (box.width === 0 || box.height === 0 || scrolls(e) || inClosedMenu) continue;
            if (shows(e) && (box.right > innerWidth + 1 || box.left < -1)) cut.push(`outside: ${name(e)}`);
            const style = getComputedStyle(e);
            if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1 && /hidden|clip/.test(style.overflowX))
              cut.push(`hidden: ${name(e)}`);
          }
          return cut.slice(0, 5);
        }
        """;

    // Scripts fill the bar and the table of contents, and draw diagrams.
    private const string Missing = """
        () => [
          ...['#navbar', '#toc'].filter(
            box => document.querySelector(box) && !document.querySelector(`${box} a`)),
          ...[...document.querySelectorAll('.mermaid, code.lang-mermaid')].filter(
            e => !e.querySelector('svg') || e.querySelector('.error-icon')).map(() => 'a diagram'),
        ]
        """;

    // Phone, tablet and desk.
    private static readonly int[] Widths = [360, 768, 1440];

    private readonly ConcurrentQueue<string> _faults = [];
    private readonly string _address;
    private readonly IPage _page;

    private SiteView(string address, IPage page)
    {
        _address = address;
        _page = page;
        page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning") _faults.Enqueue($"console: {message.Text}");
        };
        page.PageError += (_, error) => _faults.Enqueue($"script: {error}");
        page.Response += (_, response) =>
        {
            if (response.Status >= 400) _faults.Enqueue($"{response.Status}: {response.Url}");
        };
    }

    public static async Task<SiteView> OpenAsync(IBrowser browser, string address, ColorScheme colours)
    {
        IPage page = await browser.NewPageAsync(new BrowserNewPageOptions
        {
            ColorScheme = colours,
            ReducedMotion = ReducedMotion.Reduce,
        });
        SiteView view = new(address, page);
        await page.RouteAsync("**/*", view.LetThroughAsync);
        return view;
    }

    /// <summary>Everything that is wrong with one page at all widths.</summary>
    public async Task<IReadOnlyList<string>> LookAtAsync(string path)
    {
        _faults.Clear();
        await _page.SetViewportSizeAsync(Widths[^1], 900);
        await _page.GotoAsync(_address + path);
        await WaitUntilCompleteAsync();
        foreach (int width in Widths)
        {
            await _page.SetViewportSizeAsync(width, 900);
            foreach (string cut in await _page.EvaluateAsync<string[]>(CutOff)) _faults.Enqueue($"{width} px: {cut}");
        }

        return [.. _faults.Select(fault => $"{path}: {fault}")];
    }

    /// <summary>The titles that a search shows.</summary>
    public async Task<IReadOnlyList<string>> SearchAsync(string words)
    {
        await _page.GotoAsync(_address + "index.html");
        await WaitUntilCompleteAsync();
        await _page.FillAsync("#search-query", words);
        ILocator titles = _page.Locator("#search-results .item-title");
        await titles.First.WaitForAsync();
        return await titles.AllTextContentsAsync();
    }

    /// <summary>An image of the page as it was shown last, for people.</summary>
    public async Task SaveAsync(string file, int width)
    {
        await _page.SetViewportSizeAsync(width, 900);
        await _page.ScreenshotAsync(new PageScreenshotOptions { Path = file });
    }

    private async Task WaitUntilCompleteAsync()
    {
        try
        {
            await _page.WaitForFunctionAsync(
                $"({Missing})().length === 0", null, new PageWaitForFunctionOptions { Timeout = 20_000 });
        }
        catch (TimeoutException)
        {
            foreach (string part in await _page.EvaluateAsync<string[]>(Missing)) _faults.Enqueue($"missing: {part}");
        }
    }

    private Task LetThroughAsync(IRoute route)
    {
        string address = route.Request.Url;
        if (address.StartsWith(_address, StringComparison.Ordinal)) return route.ContinueAsync();
        _faults.Enqueue($"a request leaves the machine: {address}");
        return route.AbortAsync();
    }
}
