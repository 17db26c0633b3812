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
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase, allowIntegerValues: false) },
        RespectNullableAnnotations = true,
        RespectRequiredConstructorParameters = true,
    };

    public static Mutant[] Read(string path) => Read(path, mayBeCut: false);

    /// <summary>A run that is ended while it writes leaves a part of a line, which is tried again.</summary>
    public static Mutant[] ReadResults(string path) => Read(path, mayBeCut: !EndsInALine(path));

    /// <summary>Sorted, so that a changed list differs in the changed lines only.</summary>
    public static void Write(string path, IEnumerable<Mutant> mutants) => File.WriteAllLines(
        path,
        mutants.OrderBy(mutant => mutant.Symbol, StringComparer.Ordinal).ThenBy(mutant => mutant.Kind)
            .ThenBy(mutant => mutant.Ordinal).ThenBy(mutant => mutant.Text, StringComparer.Ordinal).Select(LineOf));

    public static void Append(string path, Mutant mutant)
    {
        if (!EndsInALine(path)) File.WriteAllLines(path, ReadResults(path).Select(LineOf));
        File.AppendAllText(path, LineOf(mutant) + "\n");
    }

    public static string LineOf(Mutant mutant) => JsonSerializer.Serialize(mutant, Options);

    private static bool EndsInALine(string path) => !File.Exists(path) || File.ReadAllText(path) is "" or [.., '\n'];

    private static Mutant[] Read(string path, bool mayBeCut)
    {
        if (!File.Exists(path)) throw new BuildException($"no list of mutants at {path}; draw one: mutants draw");
        string[] lines = File.ReadAllLines(path);
        List<Mutant> mutants = [];
        foreach ((int index, string line) in lines.Index())
        {
            try
            {
                mutants.Add(Parse(line));
            }
            catch (JsonException fault)
            {
                if (mayBeCut && index == lines.Length - 1) break;
                throw new BuildException($"{path}, line {index + 1} is not a mutant: {fault.Message}");
            }
        }

        return [.. mutants];
    }

    private static Mutant Parse(string line)
    {
        Mutant? mutant = JsonSerializer.Deserialize<Mutant>(line, Options);
        return mutant?.Ordinal >= 0 ? mutant : throw new JsonException("expected an ordinal from 0 on");
    }
}
