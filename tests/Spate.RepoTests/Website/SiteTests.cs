using Microsoft.Playwright;

namespace Spate.RepoTests.Website;

/// <summary>A browser looks at the site that docs.sh has made.</summary>
public sealed class SiteTests : IAsyncLifetime
{
    private const string Browser = "/usr/bin/chromium";
    private const string Images = "SPATE_SITE_IMAGES";

    private static readonly string Folder = Path.Combine(Repository.Top, "artifacts", "site");

    private IPlaywright? _playwright;
    private IBrowser? _browser;
    private SiteServer? _server;

    public async ValueTask InitializeAsync()
    {
        if (!TestWidth.IsLong || !File.Exists(Browser) || !Directory.Exists(Folder)) return;
        _server = new SiteServer(Folder);
        _playwright = await Playwright.CreateAsync();
        _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = Browser,
            Args = ["--no-sandbox", "--disable-dev-shm-usage"],
        });
    }

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null) await _browser.DisposeAsync();
        _playwright?.Dispose();
        if (_server is not null) await _server.DisposeAsync();
    }

    /// <summary>With SPATE_SITE_IMAGES=FOLDER the test also saves an image of each page of docs/ there.</summary>
    [Theory]
    [InlineData(ColorScheme.Light)]
    [InlineData(ColorScheme.Dark)]
    public async Task Pages_InABrowser_AreWholeAndAskNobodyElse(ColorScheme colours)
    {
        SkipUnlessThere();
        SiteView view = await SiteView.OpenAsync(_browser!, _server!.Address, colours);
        List<string> faults = [];
        string[] pages = [.. Pages(colours is ColorScheme.Light)];
        Assert.True(pages.Length > 20, $"only {pages.Length} pages in {Folder}");
        foreach (string page in pages)
        {
            faults.AddRange(await view.LookAtAsync(page));
            if (Environment.GetEnvironmentVariable(Images) is not { Length: > 0 } images) continue;
            foreach (int width in (int[])[360, 1440])
                await view.SaveAsync(Path.Combine(images, $"{page.Replace('/', '-')}-{colours}-{width}.png"), width);
        }

        Assert.True(faults.Count == 0, $"{faults.Count} faults:\n{string.Join('\n', faults)}");
    }

    [Theory]
    [InlineData("TryReserve", "SendBatch")]
    [InlineData("metrics", "Metrics")]
    public async Task Search_AWord_FindsItsPage(string word, string title)
    {
        SkipUnlessThere();
        SiteView view = await SiteView.OpenAsync(_browser!, _server!.Address, ColorScheme.Light);

        Assert.Contains(await view.SearchAsync(word), found => found.Contains(title, StringComparison.Ordinal));
    }

    // Pages of the reference are made alike: in the dark their namespaces stand for them.
    private static IEnumerable<string> Pages(bool withTypes) =>
        from path in Directory.EnumerateFiles(Folder, "*.html", SearchOption.AllDirectories)
        let page = Path.GetRelativePath(Folder, path).Replace('\\', '/')
        where Path.GetFileName(page) != "toc.html"
            && (withTypes || !page.StartsWith("reference/", StringComparison.Ordinal))
        orderby page
        select page;

    private static void SkipUnlessThere()
    {
        TestWidth.SkipUnlessLong("a browser looks at each page of the site");
        Assert.SkipUnless(File.Exists(Browser), "needs Debian's package chromium");
        Assert.True(Directory.Exists(Folder), $"{Folder} is missing: ./docs.sh makes it");
    }
}
