using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// A grain call as it travels between clusters: the grain, the version of its interface, Orleans' own form of the request, and the caller's
/// request context.
/// </summary>
internal readonly record struct CallFrame(GrainKey Grain, ushort InterfaceVersion, IInvokable Request, Dictionary<string, object>? Context)
{
    private const byte Version = 1;

    public static byte[] Encode(GrainId grain, ushort interfaceVersion, IInvokable request, Serializer serializer, DeepCopier copier)
    {
        var writer = new PayloadWriter();
        writer.WriteByte(Version);
        writer.WriteText(GrainNames.ToKey(grain).ToString());
        writer.WriteUnsigned(interfaceVersion);
        writer.WriteBytes(serializer.SerializeToArray<object>(request));
        var context = RequestContextExtensions.Export(copier);
        writer.WriteBytes(context is null ? [] : serializer.SerializeToArray(context));
        return writer.ToArray();
    }

    /// <summary>Reads a call that a cluster has sent.</summary>
    /// <exception cref="GeoSerializationException">
    /// The frame is damaged, of a later version, or names types that this cluster lacks.
    /// </exception>
    public static CallFrame Decode(ReadOnlySpan<byte> frame, ClusterId from, Serializer serializer)
    {
        var reader = new PayloadReader(frame);
        var version = reader.ReadByte();
        if (version != Version)
        {
            throw new GeoSerializationException(
                $"A call of format {version} arrived; this version of Geo reads format {Version}. Update this cluster first.");
        }

        var grain = GrainKey.Parse(reader.ReadRequiredText());
        var interfaceVersion = (ushort)Math.Min(reader.ReadUnsigned(), ushort.MaxValue);
        var request = reader.ReadBytes();
        var context = reader.ReadBytes();
        try
        {
            using (ArrivingReferences.From(from))
            {
                return new CallFrame(
                    grain,
                    interfaceVersion,
                    serializer.Deserialize<object>(request) as IInvokable ?? throw new InvalidDataException("it is no call"),
                    context.IsEmpty ? null : serializer.Deserialize<Dictionary<string, object>>(context));
            }
        }
        catch (Exception e) when (e is not GeoException)
        {
            throw new GeoSerializationException(
                $"A call to grain '{grain}' cannot be read here ({e.Message}); run the same version of its interface in all clusters.", e);
        }
    }
}
