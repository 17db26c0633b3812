namespace Spate.Cli.Tune.Trials;

/// <summary>What may improve UDP here: settings of one check, or CPUs for threads. One thread uses it.</summary>
internal abstract class TrialCandidate(string check, string setting, string from, string to, string? command)
{
    public string Check { get; } = check;

    public string Setting { get; } = setting;

    public string From { get; } = from;

    public string To { get; } = to;

    public string? Command { get; } = command;

    /// <summary>CPUs of the sender and of the receiver; empty where the system chooses.</summary>
    public virtual IReadOnlyList<int> Cpus => [];

    /// <summary>How long the host needs after a change until it can be measured.</summary>
    public virtual TimeSpan SettleTime => TimeSpan.Zero;

    /// <returns>Why the system refused, in one line; null where the candidate is in effect.</returns>
    public virtual string? Apply() => null;

    /// <summary>Undoes <see cref="Apply"/>, also where that has thrown or has done a part only.</summary>
    /// <exception cref="IOException">The host could not be made as it was; the message says what is left.</exception>
    public virtual void TakeBack()
    {
    }
}
