namespace Spate.Cli.Tune.Applying;

/// <summary>What became of one setting. <c>Note</c>: the reason of the state; null for none.</summary>
internal sealed record SettingOutcome(string Setting, string From, string To, SettingState State, string? Note = null);

/// <summary>What became of one setting.</summary>
internal enum SettingState
{
    Done,

    /// <summary>It had the value already.</summary>
    Already,

    /// <summary>Somebody else has changed it since: it was left alone.</summary>
    Foreign,

    Failed,
}
