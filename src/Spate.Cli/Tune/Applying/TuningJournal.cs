using System.Text.Json;
using System.Text.Json.Serialization;

namespace Spate.Cli.Tune.Applying;

/// <summary>
/// What was changed on this host, with the old values. It is on disk before the first change, so that whatever ends the
/// program in between can be taken back.
/// </summary>
internal sealed record TuningJournal
{
    public const string CurrentSchema = "spate-tune/1";

    public required string Schema { get; init; }

    /// <summary>The start of the kernel that the changes belong to: with the next one they are gone.</summary>
    public required string BootId { get; init; }

    public required IReadOnlyList<JournalChange> Changes { get; init; }

    /// <summary>The content of the file that makes the changes outlast the next start; null for none.</summary>
    public string? PersistedText { get; init; }
}

/// <summary>One change of a journal.</summary>
internal sealed record JournalChange(string Setting, string From, string To);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true, WriteIndented = true)]
[JsonSerializable(typeof(TuningJournal))]
internal sealed partial class JournalJsonContext : JsonSerializerContext;
