namespace Spate.HostTuning.Checks.Netfilter;

/// <summary>Rules of the firewall that drop or reject.</summary>
internal sealed class FirewallCheck : HostCheck
{
    private const int MaxNamed = 3;

    private const string Reason =
        "A packet that such a rule takes never reaches the socket, and no counter of UDP shows it (nft(8), verdict "
        + "statements).";

    public override string Id => "firewall";

    public override string Subject => "firewall rules that drop";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.Firewall is not { } rules)
        {
            yield return Unknown("The firewall's rules are shown to root only, by nft or iptables-save.");
            yield break;
        }

        if (host.FirewallGrowth.Count == 0)
        {
            int silent = rules.Count(static one => one.Packets is null);
            yield return Ok(
                $"{rules.Count} rules drop or reject",
                $"None that counts did so while this looked; {silent} do not count.");
            yield break;
        }

        IEnumerable<string> named = host.FirewallGrowth.Take(MaxNamed).Select(static one =>
            $"{one.Place}: {CheckText.Count(one.Packets ?? 0)} packets");
        int unnamed = Math.Max(0, host.FirewallGrowth.Count - MaxNamed);
        yield return Problem(
            string.Join("; ", named) + (unnamed > 0 ? $"; and {unnamed} more rules" : ""),
            "a rule ahead of it that accepts the port, unless the drop is meant",
            Reason,
            host.FirewallGrowth.Sum(static one => one.Packets ?? 0)) with
        {
            Command = host.FirewallGrowth[0].Accept,
            Undo = host.FirewallGrowth[0].Undo,
        };
    }
}
