using Xunit.v3;

namespace Spate.Tests;

/// <summary>
/// A class whose tests measure the whole process: its allocations, descriptors, threads, events or CPU time.
/// No other test of the process runs in parallel; test.sh gives them a process of their own.
/// </summary>
/// <param name="reason">The part of the process that they measure.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ProcessWideAttribute(string reason) : Attribute, ICollectionAttribute, ITraitAttribute
{
    public const string Group = "ProcessWide";

    public string Reason => reason;

    string ICollectionAttribute.Name => Group;

    Type? ICollectionAttribute.Type => null;

    IReadOnlyCollection<KeyValuePair<string, string>> ITraitAttribute.GetTraits() => [new("group", Group)];
}

/// <summary>
/// A class whose tests need the host for themselves: they change a setting of it, or load its CPUs or its network so
/// that others would be disturbed. test.sh runs them when all else has ended.
/// </summary>
/// <param name="reason">The part of the host that they need.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class QuietHostAttribute(string reason) : Attribute, ICollectionAttribute, ITraitAttribute
{
    public const string Group = "QuietHost";

    public string Reason => reason;

    string ICollectionAttribute.Name => Group;

    Type? ICollectionAttribute.Type => null;

    IReadOnlyCollection<KeyValuePair<string, string>> ITraitAttribute.GetTraits() => [new("group", Group)];
}

/// <summary>
/// A class whose tests load network namespaces of their own, mostly wait, and count what is lost: test.sh runs two such
/// classes at a time with those of <see cref="QuietHostAttribute"/>.
/// </summary>
/// <param name="reason">The part of the host that they need.</param>
[AttributeUsage(AttributeTargets.Class)]
public sealed class NamespaceLoadAttribute(string reason) : Attribute, ITraitAttribute
{
    public string Reason => reason;

    IReadOnlyCollection<KeyValuePair<string, string>> ITraitAttribute.GetTraits() =>
        [new("group", QuietHostAttribute.Group)];
}

/// <summary>Nothing runs in parallel with these if all tests run in one process, as in an editor.</summary>
[CollectionDefinition(ProcessWideAttribute.Group, DisableParallelization = true)]
public static class ProcessWideTests
{
}

/// <summary>Nothing runs in parallel with these if all tests run in one process, as in an editor.</summary>
[CollectionDefinition(QuietHostAttribute.Group, DisableParallelization = true)]
public static class QuietHostTests
{
}
