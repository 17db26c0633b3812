using Xunit.v3;

namespace Spate.TestHelpers.Runs;

/// <summary>
/// The group of a class, by which test.sh selects its tests, and the reason for it. Each program with classes of a
/// group defines its collection (<c>GroupCollections.cs</c>): xunit looks for definitions in the program alone.
/// </summary>
public abstract class TestGroupAttribute(string group, string reason) : Attribute, ITraitAttribute
{
    public string Reason => reason;

    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [new("group", group)];
}

/// <summary>
/// A class whose tests measure the whole process: its allocations, descriptors, threads, events or CPU time.
/// No other test of the process runs in parallel; test.sh gives them a process of their own.
/// </summary>
/// <param name="reason">The part of the process that they measure.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ProcessWideAttribute(string reason)
    : TestGroupAttribute(Group, reason), ICollectionAttribute
{
    public const string Group = "ProcessWide";

    string ICollectionAttribute.Name => Group;

    Type? ICollectionAttribute.Type => null;
}

/// <summary>
/// A class whose tests need the host for themselves: they change a setting of it, or load its CPUs or its network so
/// that others would be disturbed. test.sh runs them when all else has ended.
/// </summary>
/// <param name="reason">The part of the host that they need.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class QuietHostAttribute(string reason)
    : TestGroupAttribute(Group, reason), ICollectionAttribute
{
    public const string Group = "QuietHost";

    string ICollectionAttribute.Name => Group;

    Type? ICollectionAttribute.Type => null;
}

/// <summary>
/// A class whose tests need what Wine lacks of Winsock: <c>test.sh --windows</c> runs it over the stand-in of
/// tests/WindowsStandIn. Elsewhere its tests are skipped.
/// </summary>
/// <param name="reason">The part of the stand-in that it needs.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class OverStandInAttribute(string reason) : TestGroupAttribute(Group, reason)
{
    public const string Group = "StandIn";
}

/// <summary>
/// A class whose tests load network namespaces of their own, mostly wait, and count losses: test.sh runs two such
/// classes at a time with those of <see cref="QuietHostAttribute"/>.
/// </summary>
/// <param name="reason">The part of the host that they need.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class NamespaceLoadAttribute(string reason) : TestGroupAttribute(QuietHostAttribute.Group, reason);
