using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Geo.Orleans;

/// <summary>
/// The places where Orleans lets nobody in and what stands before an activation must: the request in a message on its way to it, the silo's
/// table of activations, and the silo that an activation has left for. They may be elsewhere in another version of Orleans; then
/// <see cref="LeaseFilter"/> does the lease's work, at the cost of every call.
/// </summary>
internal sealed class ActivationSeam
{
    private readonly Func<object, object?> _request;
    private readonly Action<object, object?> _setRequest;
    private readonly Action<object, IGrainContext> _remove;
    private readonly Func<object, bool> _isInterleaved;
    private readonly Func<IGrainContext, SiloAddress?> _successor;

    private ActivationSeam(
        Type table, Func<object, object?> request, Action<object, object?> setRequest, Action<object, IGrainContext> remove,
        Func<object, bool> isInterleaved, Func<IGrainContext, SiloAddress?> successor) =>
        (TableType, _request, _setRequest, _remove, _isInterleaved, _successor) =
            (table, request, setRequest, remove, isInterleaved, successor);

    /// <summary>Null where this version of Orleans keeps one of them elsewhere.</summary>
    public static ActivationSeam? Reachable { get; } = Find(
        "Orleans.Runtime.Message, Orleans.Core", "Orleans.Runtime.Catalog, Orleans.Runtime",
        "Orleans.Runtime.ActivationData, Orleans.Runtime");

    /// <summary>The service that is the table of activations.</summary>
    public Type TableType { get; }

    public object? RequestOf(object message) => _request(message);

    public void SetRequest(object message, object? request) => _setRequest(message, request);

    /// <summary>True when the message's request runs beside any other.</summary>
    public bool IsInterleaved(object message) => _isInterleaved(message);

    /// <summary>Takes an activation out of the table, if it is there.</summary>
    public void Remove(object table, IGrainContext activation) => _remove(table, activation);

    /// <summary>The silo that an activation of Orleans' own migrates to; null where it does not, and of any other.</summary>
    public SiloAddress? SuccessorOf(IGrainContext activation) => _successor(activation);

    [UnconditionalSuppressMessage("Trimming", "IL2057", Justification = "What is not found is done without.")]
    internal static ActivationSeam? Find(string messageType, string tableType, string activationType)
    {
        if (Type.GetType(messageType, throwOnError: false)?.GetProperty("BodyObject") is not { CanRead: true, CanWrite: true } body
            || body.PropertyType != typeof(object)
            || body.DeclaringType!.GetProperty("IsAlwaysInterleave") is not { CanRead: true } interleaved
            || interleaved.PropertyType != typeof(bool)
            || Type.GetType(tableType, throwOnError: false)?.GetMethod(
                "UnregisterMessageTarget", [typeof(IGrainContext)]) is not { } remove
            || Type.GetType(activationType, throwOnError: false)?.GetProperty("ForwardingAddress") is not { CanRead: true } successor
            || successor.PropertyType != typeof(SiloAddress))
        {
            return null;
        }

        var target = Expression.Parameter(typeof(object));
        var request = Expression.Parameter(typeof(object));
        var activation = Expression.Parameter(typeof(IGrainContext));
        var access = Expression.Property(Expression.Convert(target, body.DeclaringType!), body);
        return new ActivationSeam(
            remove.DeclaringType!,
            Expression.Lambda<Func<object, object?>>(access, target).Compile(),
            Expression.Lambda<Action<object, object?>>(Expression.Assign(access, request), target, request).Compile(),
            Expression.Lambda<Action<object, IGrainContext>>(
                Expression.Call(Expression.Convert(target, remove.DeclaringType!), remove, activation), target, activation).Compile(),
            Expression.Lambda<Func<object, bool>>(
                Expression.Property(Expression.Convert(target, body.DeclaringType!), interleaved), target).Compile(),
            Expression.Lambda<Func<IGrainContext, SiloAddress?>>(
                Expression.Condition(
                    Expression.TypeIs(activation, successor.DeclaringType!),
                    Expression.Property(Expression.Convert(activation, successor.DeclaringType!), successor),
                    Expression.Constant(null, typeof(SiloAddress))),
                activation).Compile());
    }
}
