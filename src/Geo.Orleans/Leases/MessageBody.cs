using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Geo.Orleans;

/// <summary>
/// Reads and replaces the request in a message on its way to an activation. Orleans keeps the message's type to itself, so that this may
/// be out of reach in another version of it; then <see cref="LeaseFilter"/> does the same work, at the cost of every call.
/// </summary>
internal sealed class MessageBody
{
    private readonly Func<object, object?> _get;
    private readonly Action<object, object?> _set;

    private MessageBody(Func<object, object?> get, Action<object, object?> set) => (_get, _set) = (get, set);

    /// <summary>Null where this version of Orleans keeps the request elsewhere.</summary>
    public static MessageBody? Reachable { get; } = Find("Orleans.Runtime.Message, Orleans.Core", "BodyObject");

    public object? Get(object message) => _get(message);

    public void Set(object message, object? body) => _set(message, body);

    [UnconditionalSuppressMessage("Trimming", "IL2057", Justification = "What is not found is done without.")]
    internal static MessageBody? Find(string typeName, string propertyName)
    {
        if (Type.GetType(typeName, throwOnError: false) is not { } type
            || type.GetProperty(propertyName) is not { CanRead: true, CanWrite: true } property
            || property.PropertyType != typeof(object))
        {
            return null;
        }

        var message = Expression.Parameter(typeof(object));
        var body = Expression.Parameter(typeof(object));
        var access = Expression.Property(Expression.Convert(message, type), property);
        return new MessageBody(
            Expression.Lambda<Func<object, object?>>(access, message).Compile(),
            Expression.Lambda<Action<object, object?>>(Expression.Assign(access, body), message, body).Compile());
    }
}
