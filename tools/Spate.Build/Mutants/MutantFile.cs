using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Spate.Build.Mutants;

/// <summary>A list of mutants, with their outcomes if they were tried: one JSON object per line.</summary>
internal static class MutantFile
{
    public const string List = "tests/mutants.json";

    private static readonly JsonSerializerOptions Options = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    public static Mutant[] Read(string path)
    {
        if (!File.Exists(path)) throw new BuildException($"no list of mutants at {path}; draw one: mutants draw");
        try
        {
            // A run that is ended while it writes leaves a part of a line, which is tried again.
            return [.. File.ReadLines(path).Where(line => line.EndsWith('}')).Select(Parse)];
        }
        catch (JsonException fault)
        {
            throw new BuildException($"{path} is not a list of mutants: {fault.Message}");
        }
    }

    /// <summary>Sorted, so that a changed list differs in the changed lines only.</summary>
    public static void Write(string path, IEnumerable<Mutant> mutants) => File.WriteAllLines(
        path,
        mutants.OrderBy(mutant => mutant.Symbol, StringComparer.Ordinal).ThenBy(mutant => mutant.Kind)
            .ThenBy(mutant => mutant.Ordinal).ThenBy(mutant => mutant.Text, StringComparer.Ordinal).Select(LineOf));

    public static void Append(string path, Mutant mutant)
    {
        bool isWhole = !File.Exists(path) || File.ReadAllText(path) is "" or [.., '\n'];
        File.AppendAllText(path, $"{(isWhole ? "" : "\n")}{LineOf(mutant)}\n");
    }

    public static string LineOf(Mutant mutant) => JsonSerializer.Serialize(mutant, Options);

    private static Mutant Parse(string line) =>
        JsonSerializer.Deserialize<Mutant>(line, Options) ?? throw new JsonException("a line is null");
}
