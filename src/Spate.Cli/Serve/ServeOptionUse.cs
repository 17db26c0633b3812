using System.CommandLine;
using System.CommandLine.Parsing;
using Spate.Cli.Shell;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>The choices of <c>spate serve</c> that other options depend on.</summary>
/// <param name="Named">The design of Windows that <c>--design</c> names; null for others.</param>
/// <param name="ThreadCount">The number of threads; 0 for one per CPU.</param>
internal sealed record ServeChoices(
    ServeApp App, UdpServerDesign Design, WindowsDesign? Named, UdpServerWait Wait, int ThreadCount, bool Once)
{
    public string DesignName => Named?.Name ?? Design.Name;

    /// <summary>The way of waiting, with the design's own for <see cref="UdpServerWait.Automatic"/>.</summary>
    public UdpServerWait EffectiveWait => Wait != UdpServerWait.Automatic ? Wait
        : Design == UdpServerDesign.Adaptive ? UdpServerWait.Adaptive : UdpServerWait.Blocking;
}

/// <summary>
/// An option of <c>spate serve</c> that has an effect only with certain choices. The option is refused where it has
/// none: the user would believe that the figures were measured with it.
/// </summary>
/// <param name="Deciding">The option that decides whether this one has an effect.</param>
internal sealed record ServeOptionUse(string Option, string Deciding, string Needs, Func<ServeChoices, bool> IsMet)
{
    private const string App = "--app";
    private const string Design = "--design";
    private const string Once = "--once";
    private const string Threads = "--threads";
    private const string Wait = "--wait";

    /// <summary>
    /// All such options. <c>--no-gro</c> is not among them, although <c>one-by-one</c> never coalesces: users who
    /// compare designs without GRO give <c>--no-gro</c> to each of them.
    /// </summary>
    public static IReadOnlyList<ServeOptionUse> All { get; } =
    [
        new("--to", App, "--app relay", static chosen => chosen.App == ServeApp.Relay),
        new(Once, App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--deadline", App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--verify", App, "--app count", static chosen => chosen.App == ServeApp.Count),
        new("--patience", Once, "--once", static chosen => chosen.Once),
        new("--no-gso", App, "--app echo or relay", static chosen => chosen.App is ServeApp.Echo or ServeApp.Relay),
        new("--answers-per-peer", App, "--app echo", static chosen => chosen.App == ServeApp.Echo),
        new("--backend", Design, "--design of any system", static chosen => chosen.Named is null) { Own = "backend" },
        new("--wait", Design, "--design of any system", static chosen => chosen.Named is null)
        {
            Own = "way of waiting",
        },
        new("--steering", Design, "--design sharded", static chosen => chosen.Design == UdpServerDesign.Sharded),
        new("--steering", Threads, "--threads 2 or more", static chosen => chosen.ThreadCount != 1),
        new("--wake-threshold", Design, "--design adaptive, ring or reader-workers", static chosen =>
            chosen.Design == UdpServerDesign.Adaptive || chosen.Design.HasReceivingThread),

        // In the adaptive design a single thread shares its work with no other, so there is no thread to wake.
        new("--wake-threshold", Threads, "--threads 2 or more", static chosen =>
            chosen.Design != UdpServerDesign.Adaptive || chosen.ThreadCount != 1),
        new("--spin-all", Wait, "--wait adaptive", static chosen => chosen.EffectiveWait == UdpServerWait.Adaptive),
    ];

    public string? Own { get; init; }

    /// <summary>Refuses the first option that was given without an effect.</summary>
    public static void Check(ParseResult parsed, ServeChoices chosen)
    {
        foreach (ServeOptionUse use in All)
        {
            if (IsGiven(parsed, use.Option) && !use.IsMet(chosen))
            {
                if (use.Own is { } own)
                {
                    throw CommandException.WrongUse(
                        $"{Design} {chosen.DesignName} has its own {own}: leave out {use.Option}");
                }

                string way = use.Deciding is Once ? "add" : "change";
                throw CommandException.WrongUse($"{use.Option} does nothing with {use.Given(parsed, chosen)}: it is "
                    + $"for {use.Needs}; leave it out, or {way} {use.Deciding}");
            }
        }
    }

    private string Given(ParseResult parsed, ServeChoices chosen)
    {
        string text = Deciding switch
        {
            App => $"{App} {NameText.Of(chosen.App)}",
            Design => $"{Design} {chosen.DesignName}",
            Wait when chosen.Wait == UdpServerWait.Automatic =>
                $"{Wait} {NameText.Of(chosen.EffectiveWait)}, as {chosen.DesignName} has it",
            Wait => $"{Wait} {NameText.Of(chosen.Wait)}",
            Once => "a server that does not wait for its senders' ends",
            _ => "one thread",
        };
        return Deciding is App or Design && !IsGiven(parsed, Deciding) ? text + " (the default)" : text;
    }

    private static bool IsGiven(ParseResult parsed, string option) =>
        parsed.GetResult(option) is OptionResult { Implicit: false };
}
