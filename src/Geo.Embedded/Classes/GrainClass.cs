using System.Collections.Frozen;
using System.Reflection;
using Geo.Consistency.Lattices;

namespace Geo.Embedded;

/// <summary>What the silo knows of a grain class; read and checked once, at start.</summary>
internal sealed class GrainClass
{
    private const int MaxTypeName = 200;

    /// <summary>How read replicas ask an instance; no reference has it.</summary>
    public static readonly GrainMethod<byte[]> PollMethod =
        (GrainMethod<byte[]>)GrainMethod.Of(typeof(IReadReplicaFeed).GetMethod(nameof(IReadReplicaFeed.PollAsync))!);

    private readonly GrainConstructor _constructor;

    /// <exception cref="GeoConfigurationException">The class asks for something that cannot be.</exception>
    public GrainClass(Type type)
    {
        Type = type;
        TypeName = NameOf(type);
        Declaration = GrainDeclaration.Of(type, typeof(IJournaledGrain).IsAssignableFrom(type));
        FollowsCallers = Declaration.Home?.Policy == HomePolicy.FollowsCallers;
        IsReentrant = type.IsDefined(typeof(ReentrantAttribute));
        Interfaces = [.. type.GetInterfaces().Where(IsGrainInterface).Select(GrainInterface.Of)];
        if (Interfaces.Count == 0)
        {
            throw new GeoConfigurationException(
                $"Grain class {type.FullName} implements no grain interface, so nobody can call it; implement one.");
        }

        var methods = Interfaces.SelectMany(i => i.Methods).DistinctBy(m => m.Id);
        Methods = (Declaration.ReadReplica is null ? methods : methods.Append(PollMethod)).ToFrozenDictionary(m => m.Id, Bind);
        _constructor = new GrainConstructor(type);
        States = [.. _constructor.States, .. OwnState(type)];
        Lattice = OwnLattice(type, TypeName, Declaration);
        if (Lattice is null == (Declaration.Protocol == ViewProtocol.CoordinationFree))
        {
            throw new GeoConfigurationException(
                $"Grain class {type.FullName} must either have [CoordinationFree] and derive from LatticeGrain, or from JournaledGrain "
                + "with a LatticeState, or do neither.");
        }

        if (Declaration.ReadReplica is not null)
        {
            Replica = States.Count == 0 ? new GrainClass(this) : throw new GeoConfigurationException(
                $"Grain class {type.FullName} has [ReadReplica] and stored states beside its events, which no replica would have; "
                + "keep all in the versioned state.");
        }
    }

    private GrainClass(GrainClass instance)
    {
        (Type, TypeName, Interfaces, Methods, States) =
            (instance.Type, instance.TypeName, instance.Interfaces, instance.Methods, instance.States);
        Declaration = instance.Declaration with { Instancing = Instancing.ClusterLocal };
        _constructor = instance._constructor;
        IsReplica = true;
    }

    /// <summary>The class.</summary>
    public Type Type { get; }

    /// <summary>Its grain type: the name that all clusters know it by.</summary>
    public string TypeName { get; }

    /// <summary>What its attributes ask for.</summary>
    public GrainDeclaration Declaration { get; }

    /// <summary>The class as its read replicas have it; null where it has none.</summary>
    public GrainClass? Replica { get; }

    /// <summary>True for the class of read replicas.</summary>
    public bool IsReplica { get; }

    /// <summary>True when its instances move to where their calls come from.</summary>
    public bool FollowsCallers { get; }

    /// <summary>True when its calls may interleave.</summary>
    public bool IsReentrant { get; }

    /// <summary>The grain interfaces that it implements.</summary>
    public IReadOnlyList<GrainInterface> Interfaces { get; }

    /// <summary>The methods by their numbers.</summary>
    public FrozenDictionary<ulong, BoundMethod> Methods { get; }

    /// <summary>The stored states: first those of the constructor's parameters, then that of <see cref="Grain{TState}"/>.</summary>
    public IReadOnlyList<StateSlot> States { get; }

    /// <summary>The lattice of a coordination-free class; null for others.</summary>
    public LatticeClass? Lattice { get; }

    /// <summary>
    /// The stores that keep what instances in several clusters work on, one after another or at one time: all clusters must have the same
    /// ones.
    /// </summary>
    public IEnumerable<string> SharedStores =>
        Declaration.Instancing != Instancing.ClusterLocal && Declaration.UsesStore
            ? OfStates.Append(Declaration.Storage ?? GeoStorage.Default)
            : OfStates;

    private IEnumerable<string> OfStates => Declaration.Instancing == Instancing.GlobalSingle
        ? States.Select(state => state.Storage).Where(storage => storage != GeoStorage.Volatile)
        : [];

    /// <summary>Makes a grain and hands it its states.</summary>
    public Grain Construct(IActivationContext activation, IReadOnlyList<IStorage> states)
    {
        var grain = ActivationScope.Construct(activation, a => _constructor.Invoke(() => a.Services, states));
        if (grain is IHasStoredState stateful)
        {
            stateful.Attach(states[^1]);
        }

        return grain;
    }

    /// <summary>Checks that the constructor's services are there, as far as that can be told.</summary>
    public void CheckServices(IServiceProvider services) => _constructor.CheckServices(services);

    private static bool IsGrainInterface(Type type) =>
        typeof(IGrain).IsAssignableFrom(type) && type.Assembly != typeof(IGrain).Assembly;

    private static string NameOf(Type type)
    {
        if (type.GetCustomAttribute<GrainTypeAttribute>()?.GrainType is { } given)
        {
            return given.Length is > 0 and <= MaxTypeName && !given.AsSpan().ContainsAny("/@|")
                ? given
                : throw new GeoConfigurationException(
                    $"Grain class {type.FullName} has the grain type '{given}'; use 1 to {MaxTypeName} characters without '/', '@' and "
                    + "'|'.");
        }

        const string Suffix = "Grain";
        var name = type.IsGenericType ? type.Name[..type.Name.IndexOf('`', StringComparison.Ordinal)] : type.Name;
        name = name.Length > Suffix.Length && name.EndsWith(Suffix, StringComparison.Ordinal) ? name[..^Suffix.Length] : name;
        var arguments = type.IsGenericType ? $"<{string.Join(',', type.GetGenericArguments().Select(a => a.Name))}>" : "";
        return (name + arguments).ToLowerInvariant();
    }

    private static LatticeClass? OwnLattice(Type type, string typeName, GrainDeclaration declaration)
    {
        for (var super = type.BaseType; super is not null; super = super.BaseType)
        {
            var definition = super.IsGenericType ? super.GetGenericTypeDefinition() : null;
            var lattice = definition == typeof(LatticeGrain<>) ? super.GetGenericArguments()[0]
                : definition == typeof(JournaledGrain<,>) ? ILatticeState.LatticeOf(super.GetGenericArguments()[0])
                : null;
            if (lattice is not null)
            {
                return LatticeClass.Of(lattice, typeName, declaration);
            }
        }

        return null;
    }

    private static IEnumerable<StateSlot> OwnState(Type type)
    {
        for (var super = type.BaseType; super is not null; super = super.BaseType)
        {
            if (super.IsGenericType && super.GetGenericTypeDefinition() == typeof(Grain<>))
            {
                var storage = type.GetCustomAttribute<StorageProviderAttribute>()?.ProviderName ?? GeoStorage.Default;
                yield return new StateSlot("state", storage, super.GetGenericArguments()[0]);
            }
        }
    }

    private BoundMethod Bind(GrainMethod method)
    {
        var map = Type.GetInterfaceMap(method.InterfaceType);
        var own = map.TargetMethods[Array.FindIndex(map.InterfaceMethods, m => GrainMethod.SignatureOf(m) == method.Signature)];
        var kind = method.IsAlwaysInterleave || own.IsDefined(typeof(AlwaysInterleaveAttribute)) ? TurnQueue.Kind.Interleaved
            : method.IsReadOnly || own.IsDefined(typeof(ReadOnlyAttribute)) ? TurnQueue.Kind.ReadOnly
            : TurnQueue.Kind.Exclusive;
        return new BoundMethod(method, kind);
    }
}
