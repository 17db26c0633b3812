using Microsoft.CodeAnalysis;

namespace Spate.RepoTests.Rules;

/// <summary>
/// Everything that a member runs when nothing goes wrong, through all calls to their ends. A delegate counts as called
/// at its making, also in a table: the initialiser of a static field belongs to the reader of the field. A virtual
/// call runs the overrides of the types that are created on the way. Code that is not followed can call all that these
/// types make of its own types.
/// </summary>
/// <param name="graph">The calls of the code.</param>
/// <param name="isFollowed">Whether a file is followed and counted; a call into another one ends there.</param>
/// <param name="isLeftOut">Whether a member, named as in walks, or a file is left out.</param>
internal sealed class WalkReach(CallGraph graph, Func<string, bool> isFollowed, Func<string, bool> isLeftOut)
{
    private const string Arrow = " > ";

    private readonly Dictionary<string, string> _files = new(StringComparer.Ordinal);
    private readonly HashSet<ISymbol> _run = new(SymbolEqualityComparer.Default);
    private readonly HashSet<INamedTypeSymbol> _created = new(SymbolEqualityComparer.Default);
    private readonly Dictionary<IMethodSymbol, string> _virtual = new(SymbolEqualityComparer.Default);
    private readonly Queue<(ISymbol Member, string Way)> _open = new();

    /// <summary>The files whose code runs, each with the calls that lead there.</summary>
    public IReadOnlyDictionary<string, string> Files => _files;

    /// <summary>The virtual members that are called and that no created type has, with the calls up to there.</summary>
    public IEnumerable<string> Unanswered =>
        from call in _virtual
        where IsFollowed(call.Key)
        where !_created.Any(type => CallGraph.ImplementationIn(type, call.Key) is { IsAbstract: false })
        select (call.Value + Arrow + CallGraph.NameOf(call.Key))[Arrow.Length..];

    /// <summary>Runs a member, and all that it calls.</summary>
    public void Run(IMethodSymbol member)
    {
        Enter(member, "");
        while (_open.TryDequeue(out (ISymbol Member, string Way) next))
        {
            foreach (INamedTypeSymbol type in graph.TypesOf(next.Member)) Create(type, next.Way);
            foreach (ISymbol table in graph.TablesOf(next.Member)) EnterTable(table, next.Way);
            foreach (Call call in graph.Calls(next.Member)) Take(call.Target, next.Member, next.Way);
        }
    }

    private void Take(IMethodSymbol target, ISymbol caller, string way)
    {
        if (CallGraph.IsDelegate(target)) return;
        bool isOpen = target.IsAbstract || target.IsVirtual || target.IsOverride;
        if (!isOpen || IsBaseCall(target, caller)) Enter(target, way);
        if (!isOpen || !_virtual.TryAdd(target, way)) return;
        foreach (INamedTypeSymbol type in _created.ToArray())
        {
            if (CallGraph.ImplementationIn(type, target) is { IsAbstract: false } found) Enter(found, way);
        }
    }

    private static bool IsBaseCall(IMethodSymbol target, ISymbol caller) =>
        !target.IsAbstract && caller is IMethodSymbol { OverriddenMethod: { } parent } &&
        SymbolEqualityComparer.Default.Equals(parent.OriginalDefinition, target);

    private void Enter(IMethodSymbol member, string way)
    {
        string name = CallGraph.NameOf(member);
        string? file = graph.FileOf(member);
        if (!IsFollowed(member) || isLeftOut(name) || (file is not null && isLeftOut(Path.GetFileName(file)))) return;
        if (!_run.Add(member)) return;
        Count(file, way + Arrow + name);
        _open.Enqueue((member, way + Arrow + name));
    }

    private void EnterTable(ISymbol table, string way)
    {
        string name = $"{table.ContainingType.Name}.{table.Name}";
        if (!IsFollowed(table) || isLeftOut(name) || !_run.Add(table)) return;
        Count(graph.FileOfTable(table), way + Arrow + name);
        _open.Enqueue((table, way + Arrow + name));
    }

    private void Create(INamedTypeSymbol type, string way)
    {
        if (!IsFollowed(type) || !_created.Add(type)) return;
        foreach ((IMethodSymbol target, string caller) in _virtual.ToArray())
        {
            if (CallGraph.ImplementationIn(type, target) is { IsAbstract: false } found) Enter(found, caller);
        }

        foreach (IMethodSymbol member in CalledFromOutside(type)) Enter(member, way + Arrow + type.Name);
    }

    /// <summary>The overrides of members that code which is not followed declares, and so can call.</summary>
    private IEnumerable<IMethodSymbol> CalledFromOutside(INamedTypeSymbol type)
    {
        foreach (INamedTypeSymbol face in type.AllInterfaces.Where(face => !IsFollowed(face) && !IsEquality(face)))
        {
            foreach (ISymbol member in face.GetMembers())
            {
                if (type.FindImplementationForInterfaceMember(member) is IMethodSymbol found)
                {
                    yield return found.OriginalDefinition;
                }
            }
        }

        for (INamedTypeSymbol? at = type; at is not null && IsFollowed(at); at = at.BaseType)
        {
            foreach (IMethodSymbol member in at.GetMembers().OfType<IMethodSymbol>())
            {
                IMethodSymbol first = member;
                while (first.OverriddenMethod is { } parent) first = parent;
                bool isOfObject = first.ContainingType.SpecialType == SpecialType.System_Object;
                if (!IsFollowed(first) && !isOfObject) yield return member.OriginalDefinition;
            }
        }
    }

    // Which collections compare a type the code does not say; what compares holds no part of a way.
    private static bool IsEquality(INamedTypeSymbol face) => face.Name == "IEquatable";

    private void Count(string? file, string way)
    {
        if (file is not null) _files.TryAdd(file, way[Arrow.Length..]);
    }

    private bool IsFollowed(ISymbol symbol) =>
        symbol.OriginalDefinition.Locations.Any(at => at.SourceTree is { } tree && isFollowed(tree.FilePath)) ||
        (symbol.IsImplicitlyDeclared && symbol.ContainingType is { } type && IsFollowed(type));
}
