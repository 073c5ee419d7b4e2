using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>Makes a grain reference the target of a request, so that a carried call goes on as an ordinary one.</summary>
internal sealed class ReferenceHolder(IAddressable grain, Type interfaceType) : ITargetHolder
{
    public object GetTarget() => grain.AsReference(interfaceType);

    /// <summary>Extensions of the grain are reached through a reference too.</summary>
    public object GetComponent(Type componentType) => grain.AsReference(componentType);
}
