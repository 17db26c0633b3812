using Spate.Build.ApiDocs;

namespace Spate.RepoTests;

/// <summary>The reference in docs/api is what the code's documentation says now.</summary>
public sealed class ApiReferenceTests
{
    private const string Renewal = "SPATE_UPDATE_DOCS";

    /// <summary>With SPATE_UPDATE_DOCS=1 the test writes the pages anew instead, and passes.</summary>
    [Fact]
    public void Pages_OfTheReference_AreAsTheCodeDocuments()
    {
        IReadOnlyDictionary<string, string> pages = ApiPages.Make(Repository.Top, "Release");
        if (Environment.GetEnvironmentVariable(Renewal) == "1")
        {
            foreach ((string name, string text) in pages) Repository.Write($"{ApiDocsCommand.Folder}/{name}", text);
            return;
        }

        Dictionary<string, string> written = Repository.Files
            .Where(file => file.Folder == ApiDocsCommand.Folder)
            .ToDictionary(file => file.FileName, file => file.Text, StringComparer.Ordinal);
        string[] stale =
        [
            .. pages.Where(page => written.GetValueOrDefault(page.Key) != page.Value).Select(page => page.Key),
            .. written.Keys.Except(pages.Keys, StringComparer.Ordinal),
        ];
        Assert.True(stale.Length == 0,
            $"docs/api is not what the code documents: {string.Join(", ", stale)}. Renew it: "
            + "dotnet run -c Release --project tools/Spate.Build -- api-docs");
    }
}
