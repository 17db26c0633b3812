namespace Spate.HostTuning.Checks;

/// <summary>What a check says of the host, the worst first.</summary>
internal enum CheckStatus
{
    /// <summary>Something is being lost now, by what a counter shows.</summary>
    Problem,

    /// <summary>
    /// Nothing is known to be lost, but a limit is below what the profile needs, or a change may help.
    /// </summary>
    Advice,

    /// <summary>The host does not tell.</summary>
    Unknown,

    /// <summary>Nothing is to be done.</summary>
    Ok,
}
