namespace Spate.RepoTests.Rules;

/// <summary>
/// The layers inside the projects that the tool is made of. A folder below another one has the layer of the upper one;
/// a row is a layer, and the folders in one row do not know each other.
/// </summary>
public static class FolderLayers
{
    /// <summary>The name of a project's own folder in its rows.</summary>
    private const string Root = "";

    /// <summary>From the bottom up. A project that is not here has no layers of folders.</summary>
    private static readonly Dictionary<string, string[][]> FromBottom = new(StringComparer.Ordinal)
    {
        ["src/Spate.Measurement"] =
        [
            ["Arithmetic", "Interop"],
            ["Reports"],
            ["Counting"],
            ["HostUse"],
            ["Pacing", "Loss"],
            ["Traffic"],
            ["PathTest"],
        ],
        ["src/Spate.HostTuning"] =
        [
            ["Interop"],
            ["Reading"],
            ["Counters"],
            ["Settings", "Placement"],
            ["Checks"],
        ],
        ["src/Spate.Cli"] =
        [
            ["Shell"],
            // What several commands share.
            ["Host"],
            ["Traffic", "Comparison"],
            // The commands.
            [
                "Bench", "Send", "Receive", "Test", "Serve", "Iperf", "Gateway", "Compare", "Plan", "Doctor", "Watch",
                "Tune", "Info", "Explain",
            ],
            // The edge: the program, and the command that holds all others.
            [Root],
        ],
    };

    /// <summary>The folder right below the project, or the project; null in a project without layers.</summary>
    public static string? TopOf(string folder)
    {
        string[] names = folder.Split('/');
        if (!FromBottom.ContainsKey(ProjectOf(folder))) return null;
        return string.Join('/', names.Take(3));
    }

    /// <summary>The number of a top folder's layer, counted from the bottom; -1 for one of no row.</summary>
    public static int Height(string top)
    {
        string project = ProjectOf(top);
        string name = top == project ? Root : top[(project.Length + 1)..];
        return Array.FindIndex(FromBottom[project], row => row.Contains(name, StringComparer.Ordinal));
    }

    public static string ProjectOf(string folder) => string.Join('/', folder.Split('/').Take(2));
}
