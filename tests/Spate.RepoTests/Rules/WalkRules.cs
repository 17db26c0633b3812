using Microsoft.CodeAnalysis;

namespace Spate.RepoTests.Rules;

/// <summary>
/// Walks are true: each step calls the next, and every file whose code runs on the way is named. What runs is found in
/// the code: of a step, all that stands before its call of the next; of what it calls there, everything. A virtual call
/// runs the overrides of the walk's types. Of a whole walk, everything runs that the first steps of its lists call.
/// </summary>
internal sealed class WalkRules(SourceModel model, string path, Walk walk, string folder)
{
    // Its own walks measure the library, so a whole walk ends at their entry.
    private const string Library = "src/Spate/";

    private readonly CallGraph _graph = new(model);
    private readonly List<Offence> _offences = [];
    private readonly Dictionary<string, string> _reached = new(StringComparer.Ordinal);
    private readonly HashSet<string> _leftOut = new(StringComparer.Ordinal);
    private readonly HashSet<IMethodSymbol> _run = new(SymbolEqualityComparer.Default);
    private ILookup<string, IMethodSymbol> _members = Enumerable.Empty<IMethodSymbol>().ToLookup(_ => "");
    private INamedTypeSymbol[] _types = [];

    /// <summary>The files whose code runs on the walk, each with the calls that lead there.</summary>
    public IReadOnlyDictionary<string, string> Reached => _reached;

    public IReadOnlyList<Offence> Check()
    {
        _members = AllTypes(model.Compilation.Assembly.GlobalNamespace)
            .SelectMany(type => type.GetMembers().OfType<IMethodSymbol>())
            .ToLookup(CallGraph.NameOf, StringComparer.Ordinal);
        _types = [.. walk.Stops.SelectMany(Find).Select(member => member.ContainingType)
            .Distinct<INamedTypeSymbol>(SymbolEqualityComparer.Default)];
        foreach (int line in walk.Unread) Complain(line, "a list entry that is no step and leaves nothing out");
        foreach (Stop stop in walk.Stops.Where(stop => !Find(stop).Any()))
        {
            Complain(stop.Line, $"{stop.File} has no {stop.Member} with code");
        }

        foreach (List<Step> chain in walk.Chains) Follow(chain);
        if (walk.IsWhole) ReachAll();
        HashSet<string> named = [.. walk.Stops.Select(stop => stop.File)];
        foreach ((string file, string way) in _reached)
        {
            bool isNamed = named.Contains(Name(file)) || walk.Listed.ContainsKey(file);
            if (!isNamed) Complain(walk.Line, $"{file} is on the way and not named: {way}");
        }

        foreach ((string name, int line) in walk.LeftOut.Where(entry => !_leftOut.Contains(entry.Key)))
        {
            Complain(line, $"{name} is left out, and nothing on the way calls it");
        }

        foreach ((string file, int line) in walk.Listed.Where(entry => !_reached.ContainsKey(entry.Key)))
        {
            Complain(line, $"{file} is listed, and nothing on the way runs it");
        }

        return _offences;
    }

    private void ReachAll()
    {
        WalkReach reach = new(
            _graph,
            file => IsCounted(file) && !file.StartsWith(Library, StringComparison.Ordinal),
            IsLeftOut);
        foreach (IMethodSymbol first in walk.Chains.SelectMany(chain => Find(chain[0].Stop))) reach.Run(first);
        foreach ((string file, string way) in reach.Files) _reached.TryAdd(file, way);
        foreach (string target in reach.Unanswered) Complain(walk.Line, $"{target}: no type on the way has it");
    }

    private void Follow(List<Step> chain)
    {
        for (int i = 0; i < chain.Count; i++)
        {
            IMethodSymbol[] members = [.. Find(chain[i].Stop)];
            if (i + 1 == chain.Count)
            {
                foreach (IMethodSymbol member in walk.IsWhole ? [] : members) Reach(member, CallGraph.NameOf(member));
                break;
            }

            IMethodSymbol[] next = [.. Find(chain[i + 1].Stop)];
            bool calls = false;
            foreach (IMethodSymbol member in members) calls |= FollowTo(member, next);
            if (!calls && next.Length > 0)
            {
                Complain(chain[i + 1].Stop.Line, $"{chain[i].Stop.Member} does not call {chain[i + 1].Stop.Member}");
            }
        }

        foreach (Step step in chain)
        {
            IMethodSymbol[] members = [.. step.Aside.Prepend(step.Stop).SelectMany(Find)];
            foreach (Stop stop in step.Aside)
            {
                if (!members.Any(member => _graph.Calls(member).Any(call => Leads(call, Find(stop)))))
                {
                    Complain(stop.Line, $"{step.Stop.Member} does not call {stop.Member}");
                }
            }
        }
    }

    /// <summary>Whether a member calls the next step; if so, runs what stands before that call.</summary>
    private bool FollowTo(IMethodSymbol member, IMethodSymbol[] next)
    {
        Call[] onward = [.. _graph.Calls(member).Where(call => Leads(call, next))];
        if (onward.Length == 0) return false;
        if (walk.IsWhole) return true;
        int end = onward.Max(call => call.End);
        Reach(member, CallGraph.NameOf(member));
        foreach (Call call in _graph.Calls(member).Where(call => call.Start <= end).Except(onward))
        {
            Run(call.Target, CallGraph.NameOf(member));
        }

        return true;
    }

    private void Run(IMethodSymbol target, string way)
    {
        foreach (IMethodSymbol member in Resolve(target, way))
        {
            string name = CallGraph.NameOf(member);
            if (IsLeftOut(name) || (_graph.FileOf(member) is { } file && IsLeftOut(Name(file)))) continue;
            if (!_run.Add(member)) continue;
            Reach(member, $"{way} > {name}");
            foreach (Call call in _graph.Calls(member)) Run(call.Target, $"{way} > {name}");
        }
    }

    private void Reach(IMethodSymbol member, string way)
    {
        if (_graph.FileOf(member) is { } file && IsCounted(file)) _reached.TryAdd(file, way);
    }

    private IMethodSymbol[] Resolve(IMethodSymbol target, string way)
    {
        if (CallGraph.IsDelegate(target) || IsLeftOut(CallGraph.NameOf(target))) return [];
        IMethodSymbol[] all = [.. _graph.Implementations(target)];
        if (all.Length < 2) return all;
        IMethodSymbol[] own = [.. OfTypes(target)];
        if (own.Length == 0 && all.Any(one => _graph.FileOf(one) is { } file && IsCounted(file)))
        {
            Complain(walk.Line, $"{way} > {CallGraph.NameOf(target)}: which of " +
                $"{string.Join(", ", all.Select(CallGraph.NameOf).Distinct(StringComparer.Ordinal))}?");
        }

        return own;
    }

    /// <summary>What the types of the walk make of a virtual member; a derived type goes before its base.</summary>
    private IEnumerable<IMethodSymbol> OfTypes(IMethodSymbol target)
    {
        INamedTypeSymbol[] known =
            [.. _types.Where(type => CallGraph.ImplementationIn(type, target) is { IsAbstract: false })];
        return known.Where(type => !known.Any(other => DerivesFrom(other, type)))
            .Select(type => CallGraph.ImplementationIn(type, target)!)
            .Distinct<IMethodSymbol>(SymbolEqualityComparer.Default);
    }

    private static bool DerivesFrom(INamedTypeSymbol type, INamedTypeSymbol parent)
    {
        for (INamedTypeSymbol? at = type.BaseType; at is not null; at = at.BaseType)
        {
            if (SymbolEqualityComparer.Default.Equals(at.OriginalDefinition, parent.OriginalDefinition)) return true;
        }

        return false;
    }

    private bool Leads(Call call, IEnumerable<IMethodSymbol> to) =>
        to.Any(member => (CallGraph.IsDelegate(call.Target) && _graph.IsMadeDelegate(member)) ||
            SymbolEqualityComparer.Default.Equals(member, call.Target) ||
            CallGraph.ImplementationIn(member.ContainingType, call.Target) is { } found &&
            SymbolEqualityComparer.Default.Equals(found, member));

    private IEnumerable<IMethodSymbol> Find(Stop stop) =>
        _members[stop.Member].Where(member => _graph.FileOf(member) is { } file && Name(file) == stop.File &&
            (stop.Parameters is null || stop.Parameters == string.Join(", ", member.Parameters.Select(p => p.Name))));

    private bool IsLeftOut(string name)
    {
        if (!walk.LeftOut.ContainsKey(name)) return false;
        _leftOut.Add(name);
        return true;
    }

    private bool IsCounted(string file) => file.StartsWith(folder + "/", StringComparison.Ordinal);

    private static string Name(string file) => file[(file.LastIndexOf('/') + 1)..];

    private void Complain(int line, string message) => _offences.Add(new Offence(path, line, message));

    private static IEnumerable<INamedTypeSymbol> AllTypes(INamespaceOrTypeSymbol container) =>
        container.GetMembers().OfType<INamespaceOrTypeSymbol>().SelectMany(member =>
            member is INamedTypeSymbol type ? AllTypes(type).Prepend(type) : AllTypes(member));
}
