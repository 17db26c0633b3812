using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Spate.RepoTests.Rules;

/// <summary>One call in a member's code: of which member as it is declared, and where the call stands.</summary>
internal sealed record Call(IMethodSymbol Target, int Start, int End);

/// <summary>
/// Which members of the bound files a member calls when nothing goes wrong: all that its body names, except in throw
/// expressions, catch clauses and conditional calls such as Debug.Assert. Lambdas and local functions belong to the
/// member that they stand in, field initialisers to the constructors. Type initialisers are left out: they run once.
/// A rule that needs the calls of one asks for those of its static field or property.
/// </summary>
internal sealed class CallGraph(SourceModel model)
{
    private readonly Dictionary<ISymbol, Call[]> _calls = new(SymbolEqualityComparer.Default);
    private readonly Lazy<INamedTypeSymbol[]> _types = new(() =>
        [.. model.Compilation.GetSymbolsWithName(_ => true, SymbolFilter.Type).OfType<INamedTypeSymbol>()]);

    private readonly Lazy<HashSet<IMethodSymbol>> _delegates = new(() => FindDelegates(model));

    /// <summary>The calls of members of the bound files; position -1 for what runs before the body.</summary>
    public IReadOnlyList<Call> Calls(ISymbol member)
    {
        if (_calls.TryGetValue(member, out Call[]? calls)) return calls;
        IEnumerable<Call> own =
            from body in Bodies(member)
            from operation in Operations(body.Operation)
            from target in OfOperation(operation).OfType<IMethodSymbol>()
            let span = operation.Syntax.Span
            select body.IsInitialiser
                ? new Call(Declared(target), -1, -1)
                : new Call(Declared(target), span.Start, span.End);
        return _calls[member] =
        [
            .. own.Concat(ImplicitBase(member).Select(target => new Call(Declared(target), -1, -1)))
                .Where(call => IsOwn(call.Target) || IsDelegate(call.Target)).Distinct(),
        ];
    }

    /// <summary>The types that a member creates, structs also as type arguments, as they are declared.</summary>
    public IEnumerable<INamedTypeSymbol> TypesOf(ISymbol member) =>
        from body in Bodies(member)
        from operation in Operations(body.Operation)
        from type in operation switch
        {
            IObjectCreationOperation { Type: INamedTypeSymbol made } => Values(made.TypeArguments).Prepend(made),
            IInvocationOperation { TargetMethod: var target } =>
                Values(target.TypeArguments).Concat(Values(target.ContainingType.TypeArguments)),
            _ => [],
        }
        where type is INamedTypeSymbol
        select (INamedTypeSymbol)type.OriginalDefinition;

    private static IEnumerable<ITypeSymbol> Values(IEnumerable<ITypeSymbol> types) =>
        types.Where(type => type.IsValueType);

    /// <summary>The static fields and properties that a member reads and that the bound files initialise.</summary>
    public IEnumerable<ISymbol> TablesOf(ISymbol member) =>
        from body in Bodies(member)
        from operation in Operations(body.Operation)
        let read = operation is IMemberReferenceOperation { Member: IFieldSymbol or IPropertySymbol } reference
            ? reference.Member.OriginalDefinition
            : null
        where read is { IsStatic: true } and not IFieldSymbol { IsConst: true }
        where Initialisers(read).Any()
        select read;

    /// <summary>The file of a static field or property with a lambda; null where none does.</summary>
    public string? FileOfTable(ISymbol table) =>
        Bodies(table).SelectMany(body => Operations(body.Operation)).OfType<IAnonymousFunctionOperation>()
            .Select(lambda => lambda.Syntax.SyntaxTree.FilePath).FirstOrDefault();

    /// <summary>Whether a call is one of a delegate, of which the code does not say what it runs.</summary>
    public static bool IsDelegate(IMethodSymbol target) => target.MethodKind == MethodKind.DelegateInvoke;

    /// <summary>Whether some code makes a delegate of a member by naming it.</summary>
    public bool IsMadeDelegate(IMethodSymbol member) => _delegates.Value.Contains(member);

    /// <summary>What a call of a member can run: what overrides or implements it, and itself if not abstract.</summary>
    public IEnumerable<IMethodSymbol> Implementations(IMethodSymbol method)
    {
        bool isOpen = method.IsAbstract || method.IsVirtual || method.IsOverride;
        if (!isOpen) return [method];
        return _types.Value.Where(type => type.TypeKind is TypeKind.Class or TypeKind.Struct)
            .Select(type => ImplementationIn(type, method)).OfType<IMethodSymbol>()
            .Where(found => !found.IsAbstract)
            .Distinct<IMethodSymbol>(SymbolEqualityComparer.Default);
    }

    /// <summary>What a call of a member runs on an object of a type; null where the type has no such member.</summary>
    public static IMethodSymbol? ImplementationIn(INamedTypeSymbol type, IMethodSymbol method)
    {
        INamedTypeSymbol owner = method.ContainingType.OriginalDefinition;
        if (owner.TypeKind == TypeKind.Interface)
        {
            foreach (INamedTypeSymbol face in type.AllInterfaces)
            {
                if (!Same(face.OriginalDefinition, owner)) continue;
                ISymbol? member = face.GetMembers(method.Name)
                    .FirstOrDefault(found => Same(found.OriginalDefinition, method.OriginalDefinition));
                return member is null ? null : type.FindImplementationForInterfaceMember(member) is IMethodSymbol found
                    ? Declared(found)
                    : null;
            }

            return null;
        }

        for (INamedTypeSymbol? at = type; at is not null; at = at.BaseType)
        {
            foreach (IMethodSymbol member in at.GetMembers(method.Name).OfType<IMethodSymbol>())
            {
                for (IMethodSymbol? over = member; over is not null; over = over.OverriddenMethod)
                {
                    if (Same(over.OriginalDefinition, method.OriginalDefinition)) return Declared(member);
                }
            }
        }

        return null;
    }

    /// <summary>The file that a member's code stands in; null for members without code and for data.</summary>
    public string? FileOf(IMethodSymbol method) =>
        method.IsImplicitlyDeclared || IsData(method)
            ? null
            : Syntax(method).Where(HasCode).Select(node => node.SyntaxTree.FilePath).FirstOrDefault();

    /// <summary>Type.Member: the way that walks name a member.</summary>
    public static string NameOf(IMethodSymbol method)
    {
        string member = method.MethodKind is MethodKind.Constructor ? method.ContainingType.Name
            : method.Name == WellKnownMemberNames.TopLevelStatementsEntryPointMethodName ? "Main"
            : method.AssociatedSymbol?.Name ?? method.Name;
        return $"{method.ContainingType.Name}.{member[(member.LastIndexOf('.') + 1)..]}";
    }

    private static HashSet<IMethodSymbol> FindDelegates(SourceModel model)
    {
        HashSet<IMethodSymbol> found = new(SymbolEqualityComparer.Default);
        foreach (SourceFile file in model.Files)
        {
            foreach (SimpleNameSyntax name in file.Root.DescendantNodes().OfType<SimpleNameSyntax>())
            {
                SyntaxNode whole =
                    name.Parent is MemberAccessExpressionSyntax access && access.Name == name ? access : name;
                if (whole.Parent is InvocationExpressionSyntax) continue;
                if (model.Of(file.Tree).GetSymbolInfo(name).Symbol is IMethodSymbol method) found.Add(Declared(method));
            }
        }

        return found;
    }

    private static bool Same(ISymbol one, ISymbol other) => SymbolEqualityComparer.Default.Equals(one, other);

    private static IMethodSymbol Declared(IMethodSymbol method)
    {
        IMethodSymbol at = (method.ReducedFrom ?? method).OriginalDefinition;
        at = at.PartialImplementationPart ?? at;
        while (at.MethodKind is MethodKind.LocalFunction or MethodKind.AnonymousFunction &&
            at.ContainingSymbol is IMethodSymbol outer)
        {
            at = outer;
        }

        return at;
    }

    private static bool IsOwn(IMethodSymbol method) =>
        method.ContainingType?.Locations.Any(at => at.IsInSource) == true;

    private static IEnumerable<SyntaxNode> Syntax(IMethodSymbol method) =>
        method.DeclaringSyntaxReferences.Select(at => at.GetSyntax());

    private static bool HasCode(SyntaxNode node) => node switch
    {
        AccessorDeclarationSyntax accessor => accessor.Body is not null || accessor.ExpressionBody is not null,
        ParameterSyntax => false,
        _ => true,
    };

    /// <summary>
    /// Whether a member is data rather than code: a property that only reads fields, like an automatic one, or a
    /// constructor that only stores what it is given.
    /// </summary>
    private bool IsData(IMethodSymbol method) =>
        method.MethodKind is MethodKind.PropertyGet or MethodKind.Constructor &&
        Bodies(method).SelectMany(body => body.Operation.DescendantsAndSelf()).All(operation => operation switch
        {
            IInvocationOperation { TargetMethod.MethodKind: MethodKind.Constructor } => true,
            IInvocationOperation or IObjectCreationOperation or IConditionalOperation or IThrowOperation => false,
            IPropertyReferenceOperation { Property.GetMethod: { } getter } => !IsOwn(getter) || IsData(getter),
            _ => !OfOperation(operation).OfType<IMethodSymbol>().Any(IsOwn),
        });

    private IEnumerable<(IOperation Operation, bool IsInitialiser)> Bodies(ISymbol member)
    {
        if (member is not IMethodSymbol method)
        {
            foreach (EqualsValueClauseSyntax initial in Initialisers(member))
            {
                if (model.Of(initial.SyntaxTree).GetOperation(initial) is { } body) yield return (body, true);
            }

            yield break;
        }

        foreach (SyntaxNode node in Syntax(method).Where(HasCode))
        {
            if (node is TypeDeclarationSyntax { BaseList: { } bases })
            {
                foreach (BaseTypeSyntax call in bases.Types.Where(type => type is PrimaryConstructorBaseTypeSyntax))
                {
                    if (model.Of(node.SyntaxTree).GetOperation(call) is { } made) yield return (made, false);
                }
            }
            else if (model.Of(node.SyntaxTree).GetOperation(node) is { } body)
            {
                yield return (body, false);
            }
        }

        if (method.MethodKind != MethodKind.Constructor) yield break;
        foreach (EqualsValueClauseSyntax initial in Initialisers(method.ContainingType))
        {
            if (model.Of(initial.SyntaxTree).GetOperation(initial) is { } body) yield return (body, true);
        }
    }

    private static IEnumerable<EqualsValueClauseSyntax> Initialisers(INamedTypeSymbol type) =>
        from member in type.GetMembers()
        where !member.IsStatic && member is IFieldSymbol { IsImplicitlyDeclared: false } or IPropertySymbol
        from initial in Initialisers(member)
        select initial;

    private static IEnumerable<EqualsValueClauseSyntax> Initialisers(ISymbol member) =>
        from at in member.DeclaringSyntaxReferences
        let initial = at.GetSyntax() switch
        {
            VariableDeclaratorSyntax variable => variable.Initializer,
            PropertyDeclarationSyntax property => property.Initializer,
            _ => null,
        }
        where initial is not null
        select initial;

    private static IEnumerable<IMethodSymbol> ImplicitBase(ISymbol member) =>
        member is IMethodSymbol { MethodKind: MethodKind.Constructor, ContainingType.BaseType: { } parent }
            ? parent.InstanceConstructors.Where(constructor => constructor.Parameters.IsEmpty)
            : [];

    private static IEnumerable<IOperation> Operations(IOperation operation)
    {
        if (operation is IThrowOperation or ICatchClauseOperation or INameOfOperation) yield break;
        if (operation is IInvocationOperation { TargetMethod: { } target } && target.GetAttributes()
            .Any(attribute => attribute.AttributeClass?.Name == "ConditionalAttribute"))
        {
            yield break;
        }

        yield return operation;
        foreach (IOperation inner in operation.ChildOperations.SelectMany(Operations)) yield return inner;
    }

    private IEnumerable<IMethodSymbol?> OfOperation(IOperation operation) => operation switch
    {
        IInvocationOperation call => [call.TargetMethod],
        IObjectCreationOperation creation => [creation.Constructor],
        IMethodReferenceOperation reference => [reference.Method],
        IPropertyReferenceOperation property => OfProperty(property),
        IBinaryOperation binary => [binary.OperatorMethod],
        IUnaryOperation unary => [unary.OperatorMethod],
        IConversionOperation conversion => [conversion.OperatorMethod],
        ICompoundAssignmentOperation compound => [compound.OperatorMethod],
        IIncrementOrDecrementOperation step => [step.OperatorMethod],
        IUsingOperation { Resources: var resources } => OfDisposal(resources),
        IUsingDeclarationOperation { DeclarationGroup: var group } => OfDisposal(group),
        IForEachLoopOperation { Syntax: CommonForEachStatementSyntax loop } => OfLoop(loop),
        IAwaitOperation { Syntax: AwaitExpressionSyntax awaited } => OfAwait(awaited),
        _ => [],
    };

    private static IEnumerable<IMethodSymbol?> OfProperty(IPropertyReferenceOperation property)
    {
        bool isTarget = property.Parent is IAssignmentOperation assignment && assignment.Target == property;
        bool isBoth = property.Parent is ICompoundAssignmentOperation or IIncrementOrDecrementOperation
            or ICoalesceAssignmentOperation;
        if (isTarget || isBoth) yield return property.Property.SetMethod;
        if (!isTarget || isBoth) yield return property.Property.GetMethod;
    }

    private static IEnumerable<IMethodSymbol?> OfDisposal(IOperation resources) =>
        from variable in resources.DescendantsAndSelf()
        let type = variable is IVariableDeclaratorOperation declarator ? declarator.Symbol.Type : variable.Type
        where type is not null
        from dispose in type.GetMembers("Dispose").OfType<IMethodSymbol>()
        where dispose.Parameters.IsEmpty
        select dispose;

    private IEnumerable<IMethodSymbol?> OfLoop(CommonForEachStatementSyntax loop)
    {
        ForEachStatementInfo info = model.Of(loop.SyntaxTree).GetForEachStatementInfo(loop);
        return [info.GetEnumeratorMethod, info.MoveNextMethod, info.CurrentProperty?.GetMethod, info.DisposeMethod];
    }

    private IEnumerable<IMethodSymbol?> OfAwait(AwaitExpressionSyntax awaited)
    {
        AwaitExpressionInfo info = model.Of(awaited.SyntaxTree).GetAwaitExpressionInfo(awaited);
        return [info.GetAwaiterMethod, info.IsCompletedProperty?.GetMethod, info.GetResultMethod];
    }
}
