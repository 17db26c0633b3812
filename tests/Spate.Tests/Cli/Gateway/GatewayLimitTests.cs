using System.Diagnostics;
using System.Globalization;
using Spate.Cli.Gateway;
using Spate.Gateway;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Cli.Gateway;

/// <summary>A gateway beside a program that keeps a CPU full: the report does not blame the gateway.</summary>
[QuietHost("a CPU is kept full")]
public sealed class GatewayLimitTests
{
    [Fact]
    public async Task Run_AnotherProgramFillsACpu_NamesTheOtherProgram()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "what CPUs do comes from Linux's /proc");
        int cpu = CpuFacts.Read().All[^1].Number;
        using Process spinner = StartSpinner(cpu);
        GatewayReport report;
        try
        {
            using GatewayRun run = GatewayRun.Start(
                new GatewayRunOptions
                {
                    Gateway = new UdpGatewayOptions
                    {
                        LocalEndPoints = [UdpEndPoint.Loopback(0)],
                        Target = GatewayTarget.Parse("null:"),
                        ThreadCount = 1,
                    },
                    Duration = TimeSpan.FromSeconds(2),
                    Interval = TimeSpan.Zero,
                },
                onBegin: null,
                TestContext.Current.CancellationToken);
            report = run.Run(static _ => { }, TestContext.Current.CancellationToken);
        }
        finally
        {
            spinner.Kill();
            await spinner.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        Assert.NotEqual(CpuLimit.WorkCause, report.LimitCause, StringComparer.Ordinal);
        Assert.Contains("another program", report.Limit!, StringComparison.Ordinal);
    }

    private static Process StartSpinner(int cpu)
    {
        Programs.Require("taskset", "util-linux");
        string number = cpu.ToString(CultureInfo.InvariantCulture);
        return Process.Start("taskset", ["-c", number, "sh", "-c", "while :; do :; done"]);
    }
}
