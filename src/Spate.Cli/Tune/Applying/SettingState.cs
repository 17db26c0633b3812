namespace Spate.Cli.Tune.Applying;

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
