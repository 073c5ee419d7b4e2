using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Geo.Orleans;

/// <summary>
/// The place where Orleans tells a grain its context while it is constructed, which only Orleans can set. It may be elsewhere in another
/// version of Orleans; then there are no read replicas, and all calls go to the instance.
/// </summary>
internal sealed class ReplicaSeam
{
    private readonly SetContext _enter;
    private readonly Action<IGrainContext?> _leave;

    private ReplicaSeam(SetContext enter, Action<IGrainContext?> leave) => (_enter, _leave) = (enter, leave);

    private delegate void SetContext(IGrainContext? context, out IGrainContext? outer);

    /// <summary>Null where this version of Orleans keeps it elsewhere.</summary>
    public static ReplicaSeam? Reachable { get; } = Find("Orleans.Runtime.RuntimeContext, Orleans.Core.Abstractions");

    /// <summary>Makes an object in a grain's context.</summary>
    public T Make<T>(IGrainContext context, Func<T> make)
    {
        _enter(context, out var outer);
        try
        {
            return make();
        }
        finally
        {
            _leave(outer);
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2057", Justification = "What is not found is done without.")]
    internal static ReplicaSeam? Find(string contextType)
    {
        const BindingFlags Any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        var type = Type.GetType(contextType, throwOnError: false);
        return type?.GetMethod("SetExecutionContext", Any, [typeof(IGrainContext), typeof(IGrainContext).MakeByRefType()]) is { } enter
            && type.GetMethod("ResetExecutionContext", Any, [typeof(IGrainContext)]) is { } leave
            ? new ReplicaSeam(enter.CreateDelegate<SetContext>(), leave.CreateDelegate<Action<IGrainContext?>>())
            : null;
    }
}
