using System.Reflection;

namespace Geo.Embedded;

/// <summary>What a caller holds of a grain: its calls become <see cref="GrainCall"/>s.</summary>
/// <remarks>Not sealed and with a public constructor because the proxies of interfaces derive from it at run time.</remarks>
#pragma warning disable CA1852
internal class GrainReference : DispatchProxy, IGrainReference
#pragma warning restore CA1852
{
    private static readonly MethodInfo CreateProxy = typeof(DispatchProxy).GetMethods()
        .Single(m => m is { Name: nameof(Create), IsGenericMethodDefinition: true });

    private GrainInterface? _interface;
    private ICallSender? _sender;

    public GrainKey Key { get; private set; }

    private GrainInterface Interface => _interface!;

    /// <summary>The first reference of an interface.</summary>
    public static GrainReference PrototypeOf(GrainInterface grainInterface)
    {
        var prototype = (GrainReference)CreateProxy.MakeGenericMethod(grainInterface.Type, typeof(GrainReference)).Invoke(null, null)!;
        prototype._interface = grainInterface;
        return prototype;
    }

    /// <summary>A reference to a grain.</summary>
    public static object Create(Type interfaceType, GrainKey key, ICallSender sender)
    {
        var reference = (GrainReference)GrainInterface.Of(interfaceType).Prototype.MemberwiseClone();
        reference.Key = key;
        reference._sender = sender;
        return reference;
    }

    public object As(Type interfaceType) => interfaceType.IsInstanceOfType(this) ? this : Create(interfaceType, Key, _sender!);

    public override bool Equals(object? obj) => obj is GrainReference other && other.Key == Key && other.Interface.Type == Interface.Type;

    public override int GetHashCode() => Key.GetHashCode();

    public override string ToString() => $"{Interface.Type.Name}({Key})";

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) =>
        Interface.MethodOf(targetMethod!).Call(_sender!, Key, args ?? []);
}
