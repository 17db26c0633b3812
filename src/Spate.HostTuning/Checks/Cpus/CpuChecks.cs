namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The checks of the CPUs and of the machine that they stand in.</summary>
internal static class CpuChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new StealCheck(),
        new QuotaCheck(),
        new InterruptCpuCheck(),
        new NodeCheck(),
        new PcieLinkCheck(),
        new GovernorCheck(),
        new IdleStateCheck(),
        new IrqBalanceCheck(),
        new ClockSourceCheck(),
        new IommuCheck(),
        new SmtCheck(),
        new ContainerCheck(),
        new MitigationCheck(),
    ];
}
