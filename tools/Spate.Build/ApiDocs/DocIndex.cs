using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace Spate.Build.ApiDocs;

/// <summary>The XML documentation of the packages by member, with what members inherit filled in.</summary>
internal sealed class DocIndex
{
    private const int MaxDepth = 8;

    private readonly Dictionary<string, XElement> _members;
    private readonly Compilation _compilation;

    public DocIndex(IEnumerable<string> files, Compilation compilation)
    {
        _compilation = compilation;
        _members = files
            .SelectMany(path => XDocument.Load(path, LoadOptions.PreserveWhitespace).Descendants("member"))
            // A file that several assemblies compile is documented by each of them, alike.
            .DistinctBy(member => member.Attribute("name")!.Value, StringComparer.Ordinal)
            .ToDictionary(member => member.Attribute("name")!.Value, StringComparer.Ordinal);
    }

    /// <summary>What is told of a type or member; null for nothing.</summary>
    public XElement? Of(ISymbol symbol) => Of(symbol, depth: 0);

    private XElement? Of(ISymbol symbol, int depth)
    {
        string? id = symbol.OriginalDefinition.GetDocumentationCommentId();
        if (id is null || depth > MaxDepth || !_members.TryGetValue(id, out XElement? found)) return null;
        if (found.Elements("summary").Skip(1).Any())
        {
            throw new BuildException($"{id} has several summaries: leave one of the parts of the type with it");
        }

        if (!found.Elements("inheritdoc").Any()) return found;
        var whole = new XElement(found);
        foreach (XElement inherit in whole.Elements("inheritdoc").ToArray())
        {
            ISymbol? source = inherit.Attribute("cref") is { } cref
                ? DocumentationCommentId.GetFirstSymbolForDeclarationId(cref.Value, _compilation)
                : BaseOf(symbol);
            inherit.Remove();
            if (source is null) continue;
            if (Of(source, depth + 1) is { } inherited) Merge(whole, inherited);
            else if (!whole.Elements("summary").Any()) whole.Add(Implements(source));
        }

        return whole;
    }

    // What a member says itself counts more than what it inherits.
    private static void Merge(XElement whole, XElement inherited)
    {
        foreach (XElement part in inherited.Elements())
        {
            bool isThere = whole.Elements(part.Name).Any(
                own => own.Attribute("name")?.Value == part.Attribute("name")?.Value
                    && own.Attribute("cref")?.Value == part.Attribute("cref")?.Value);
            if (!isThere) whole.Add(new XElement(part));
        }
    }

    private static XElement Implements(ISymbol source) => new(
        "summary", "As ", new XElement("c", $"{source.ContainingType.Name}.{source.Name}"), " of .NET.");

    private static ISymbol? BaseOf(ISymbol symbol) => symbol switch
    {
        IMethodSymbol { OverriddenMethod: { } method } => method,
        IPropertySymbol { OverriddenProperty: { } property } => property,
        INamedTypeSymbol type => type.BaseType,
        _ => symbol.ContainingType.AllInterfaces.SelectMany(face => face.GetMembers()).FirstOrDefault(
            member => SymbolEqualityComparer.Default.Equals(
                symbol.ContainingType.FindImplementationForInterfaceMember(member), symbol)),
    };
}
