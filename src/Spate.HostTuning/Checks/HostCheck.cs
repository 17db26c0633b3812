namespace Spate.HostTuning.Checks;

/// <summary>
/// One check of the host. It reads and changes nothing, never throws for what the host has or lacks, and trusts no
/// content of a file: a value that makes no sense is <see cref="CheckStatus.Unknown"/>.
/// </summary>
internal abstract class HostCheck
{
    /// <summary>Also its heading in docs/tuning.md.</summary>
    public abstract string Id { get; }

    public abstract string Subject { get; }

    public virtual bool IsLinuxOnly => true;

    /// <summary>One for each interface, or one; none where the check does not apply to this host.</summary>
    public abstract IEnumerable<CheckFinding> Examine(HostReadings host);

    protected CheckFinding Ok(string found, string reason) => new(Id, CheckStatus.Ok, found, "", reason);

    protected CheckFinding Unknown(string reason) => new(Id, CheckStatus.Unknown, "unknown", "", reason);

    protected CheckFinding Advice(string found, string wanted, string reason) =>
        new(Id, CheckStatus.Advice, found, wanted, reason);

    protected CheckFinding BelowNeed(string found, string wanted, string reason) =>
        Advice(found, wanted, reason) with { IsBelowNeed = true };

    protected CheckFinding Problem(string found, string wanted, string reason, long growth) =>
        new(Id, CheckStatus.Problem, found, wanted, reason) { Growth = growth };
}
