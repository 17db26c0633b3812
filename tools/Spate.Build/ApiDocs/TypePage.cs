using System.Text;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;

namespace Spate.Build.ApiDocs;

/// <summary>The page of a type: what it is, and each member with its declaration and what is told of it.</summary>
internal sealed class TypePage(INamedTypeSymbol type, string package, DocIndex docs, DocLinks links)
{
    private static readonly (string Title, Func<ISymbol, bool> Holds)[] Sections =
    [
        ("Constructors", member => member is IMethodSymbol { MethodKind: MethodKind.Constructor }),
        ("Properties", member => member is IPropertySymbol),
        ("Fields", member => member is IFieldSymbol),
        ("Events", member => member is IEventSymbol),
        ("Methods", member => member is IMethodSymbol { MethodKind: MethodKind.Ordinary }),
        ("Operators", member => member is
            IMethodSymbol { MethodKind: MethodKind.UserDefinedOperator or MethodKind.Conversion }),
    ];

    private readonly StringBuilder _page = new();
    private readonly DocText _text = new(links);

    public string Write()
    {
        _page.Append($"# {Code(SymbolText.NameOf(type))}\n\n");
        _page.Append($"Package {Code(package)}, namespace {Code(type.ContainingNamespace.ToDisplayString())}; ");
        _page.Append("[all types](README.md).\n\n");
        WriteBody(type);
        if (type.TypeKind == TypeKind.Enum)
        {
            WriteValues();
        }
        else
        {
            ISymbol[] members = [.. SymbolText.MembersOf(type)];
            foreach ((string title, Func<ISymbol, bool> holds) in Sections)
            {
                ISymbol[] held = [.. members.Where(holds)];
                if (held.Length > 0) WriteSection(title, held);
            }
        }

        return _page.ToString().TrimEnd('\n') + "\n";
    }

    private void WriteSection(string title, ISymbol[] members)
    {
        _page.Append($"## {title}\n\n");
        foreach (ISymbol member in members)
        {
            _page.Append($"### {Code(SymbolText.HeadingOf(member))}\n\n");
            WriteBody(member);
        }
    }

    private void WriteValues()
    {
        _page.Append("| value | number | meaning |\n|---|--:|---|\n");
        foreach (IFieldSymbol value in SymbolText.MembersOf(type).OfType<IFieldSymbol>())
        {
            string meaning = _text.Cell(docs.Of(value)?.Element("summary"));
            _page.Append($"| {Code(value.Name)} | {value.ConstantValue} | {meaning} |\n");
        }
    }

    private void WriteBody(ISymbol symbol)
    {
        _page.Append($"```csharp\n{SymbolText.DeclarationOf(symbol)}\n```\n\n");
        if (docs.Of(symbol) is not { } told) return;
        Paragraph(_text.Block(told.Element("summary")));
        List("name", told.Elements("typeparam"));
        List("name", told.Elements("param").Where(part => Has(symbol, part.Attribute("name")!.Value)));
        if (told.Element("returns") is { } returns) Paragraph($"Returns: {_text.Block(returns)}");
        if (told.Element("value") is { } value) Paragraph($"Value: {_text.Block(value)}");
        List("cref", told.Elements("exception"));
        Paragraph(_text.Block(told.Element("remarks")));
        foreach (XElement example in told.Elements("example")) Paragraph(_text.Block(example));
    }

    // An overload that inherits what is told of another one has fewer parameters.
    private static bool Has(ISymbol symbol, string parameter) =>
        symbol is not IMethodSymbol method || method.Parameters.Any(one => one.Name == parameter);

    private void List(string key, IEnumerable<XElement> told)
    {
        XElement[] parts = [.. told];
        foreach (XElement part in parts)
        {
            string name = part.Attribute(key)!.Value;
            string shown = key == "cref" ? name[(name.LastIndexOf('.') + 1)..] : name;
            _page.Append($"- {Code(shown)}: {_text.Cell(part)}\n");
        }

        if (parts.Length > 0) _page.Append('\n');
    }

    private void Paragraph(string text)
    {
        if (text.Length > 0) _page.Append($"{text}\n\n");
    }

    private static string Code(string text) => $"`{text}`";
}
