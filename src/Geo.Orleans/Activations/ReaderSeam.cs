using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Orleans.Metadata;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// The place where Orleans decides which requests may interleave: predicates of the grain's class, which only the class itself can name.
/// This adds one that lets read-only requests in while a request waits for its journal. It may be elsewhere in another version of Orleans;
/// then read-only requests wait like the others.
/// </summary>
internal sealed class ReaderSeam : IConfigureGrainTypeComponents
{
    private readonly ConstructorInfo _interleaving;
    private readonly PropertyInfo _predicates;
    private readonly object _predicate;
    private readonly MethodInfo _setComponent;

    private ReaderSeam(ConstructorInfo interleaving, PropertyInfo predicates, object predicate, MethodInfo setComponent) =>
        (_interleaving, _predicates, _predicate, _setComponent) = (interleaving, predicates, predicate, setComponent);

    /// <summary>Null where this version of Orleans decides elsewhere.</summary>
    public static ReaderSeam? Reachable { get; } =
        Find("Orleans.Runtime.GrainCanInterleave, Orleans.Runtime", "Orleans.Runtime.MayInterleaveStaticPredicate, Orleans.Runtime");

    public void Configure(GrainType grainType, GrainProperties properties, GrainTypeSharedContext shared)
    {
        if (properties.Properties.ContainsKey(JournalReaders.Property))
        {
            var component = _interleaving.Invoke([]);
            ((System.Collections.IList)_predicates.GetValue(component)!).Add(_predicate);
            _setComponent.Invoke(shared, [component]);
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What is not found is done without.")]
    [UnconditionalSuppressMessage("Trimming", "IL2057", Justification = "What is not found is done without.")]
    [UnconditionalSuppressMessage("Trimming", "IL2060", Justification = "The component's type has no requirements.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "The component's type is a class.")]
    internal static ReaderSeam? Find(string interleavingType, string predicateType)
    {
        var type = Type.GetType(interleavingType, throwOnError: false);
        return type?.GetConstructor(Type.EmptyTypes) is { } interleaving
            && type.GetProperty("MayInterleavePredicates") is { } predicates
            && typeof(System.Collections.IList).IsAssignableFrom(predicates.PropertyType)
            && Type.GetType(predicateType, throwOnError: false)?.GetConstructor([typeof(Func<IInvokable, bool>)]) is { } predicate
            && typeof(GrainTypeSharedContext).GetMethods()
                .SingleOrDefault(m => m is { Name: "SetComponent", IsGenericMethodDefinition: true })
                is { } setComponent
            ? new ReaderSeam(
                interleaving, predicates, predicate.Invoke([(Func<IInvokable, bool>)MayInterleave]), setComponent.MakeGenericMethod(type))
            : null;
    }

    private static bool MayInterleave(IInvokable request) => request is WatchedRequest { IsReadOnly: true, Waits.LetReadersIn: true };
}
