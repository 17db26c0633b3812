using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cards;

namespace Spate.HostTuning.Settings;

/// <summary>
/// The root discipline (tc(8)): <c>default</c> and what the kernel made, or the kind and mark of what somebody made.
/// Only the former can be restored exactly.
/// </summary>
internal sealed record QueueSetting(string Interface) : HostSetting
{
    private const string Default = "default ";

    // Those that have no options, or useful ones without any.
    private static readonly string[] KnownKinds = ["fq", "fq_codel", "pfifo_fast", "noqueue", "mq"];

    public override string Name => $"root qdisc of {Interface}";

    public override string Identity => $"qdisc {Interface}";

    /// <summary>For an interface of one queue, whose discipline the kernel made.</summary>
    public static string DefaultOf(string kind) => Default + kind;

    /// <summary>Only such a value can be restored exactly.</summary>
    public static bool IsDefault(string value) => value.StartsWith(Default, StringComparison.Ordinal);

    public override string CommandFor(string value) => IsDefault(value)
        ? $"tc qdisc del dev {Interface} root"
        : $"tc qdisc replace dev {Interface} root {KindOf(value)}";

    public override string? Read(string rootPath)
    {
        using var replies = new RouteReplies(rootPath);
        if (RootQueue.Read(replies, Interface) is not { } root) return null;

        return root.IsDefault
            ? Default + (root.ChildKind.Length > 0 ? $"{root.Kind} {root.ChildKind}" : root.Kind)
            : $"{root.Kind} {root.Mark}";
    }

    // What is to be made has a kind; what was made has a mark too.
    public override bool IsSame(string left, string right) =>
        base.IsSame(left, right)
        || (!IsDefault(left) && !right.Contains(' ') && base.IsSame(KindOf(left), right));

    public override void Write(string rootPath, string value)
    {
        string kind = KindOf(value);
        if (!IsDefault(value) && !KnownKinds.Contains(kind, StringComparer.Ordinal))
        {
            throw new IOException($"{Name} cannot be {value}: expected one of {string.Join(", ", KnownKinds)}");
        }

        using var replies = new RouteReplies(rootPath);
        RootQueue root = RootQueue.Read(replies, Interface)
            ?? throw new IOException($"the system does not report the {Name}");
        int error = IsDefault(value) ? replies.RemoveRootQueue(root.Index) : replies.SetRootQueue(root.Index, kind);
        if (error != 0) throw NetworkFault.Of(error, Interface);
    }

    private static string KindOf(string value) => value.Split(' ')[0];
}
