using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Geo.Embedded;

/// <summary>
/// States, events and arguments as JSON (System.Text.Json) of their declared types: public properties and fields, and what an
/// <see cref="IdAttribute"/> marks. A derived type is written as itself only where its base names it by <c>[JsonDerivedType]</c>.
/// </summary>
public sealed class JsonGeoSerializer : IGeoSerializer
{
    private static readonly ArrayBufferWriter<byte> Nowhere = new();

    [ThreadStatic]
    private static Utf8JsonWriter? _writer;

    private readonly JsonSerializerOptions _options;
    private readonly Func<Type, GrainKey, object>? _references;
    private readonly JsonWriterOptions _writerOptions;

    /// <summary>Creates the serializer.</summary>
    /// <param name="configure">Changes the settings, for example inserts a source-generated resolver; may be null.</param>
    public JsonGeoSerializer(Action<JsonSerializerOptions>? configure = null)
        : this(CreateOptions(configure, references: null), references: null)
    {
    }

    /// <param name="options">From <see cref="CreateOptions"/>; may be those of other serializers, too.</param>
    /// <param name="references">Makes a reference of an interface to a grain; null where none are read.</param>
    internal JsonGeoSerializer(JsonSerializerOptions options, Func<Type, GrainKey, object>? references)
    {
        _options = options;
        _references = references;
        _writerOptions = new JsonWriterOptions { SkipValidation = true, MaxDepth = _options.MaxDepth };
    }

    /// <inheritdoc/>
    public void Serialize<T>(T value, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(output);

        // A converter may call back in here while the thread's writer is in use: it is taken, not borrowed.
        var writer = _writer ?? new Utf8JsonWriter(output, _writerOptions);
        _writer = null;
        try
        {
            writer.Reset(output);
            JsonSerializer.Serialize(writer, value, TypeInfo<T>());
            writer.Flush();
        }

        // Types of the application are written and read here: whatever they throw means that they cannot be.
        catch (Exception e) when (e is not GeoSerializationException)
        {
            throw new GeoSerializationException($"A {typeof(T)} could not be written as JSON: {e.Message}", e);
        }
        finally
        {
            writer.Reset(Nowhere);
            _writer = writer;
        }
    }

    /// <inheritdoc/>
    public T Deserialize<T>(ReadOnlySpan<byte> input)
    {
        using var reading = GrainReferenceConverter.Read(_references);
        try
        {
            return JsonSerializer.Deserialize(input, TypeInfo<T>())!;
        }
        catch (Exception e) when (e is not GeoSerializationException)
        {
            throw new GeoSerializationException($"{input.Length} bytes could not be read as JSON of {typeof(T)}: {e.Message}", e);
        }
    }

    internal static JsonSerializerOptions CreateOptions(Action<JsonSerializerOptions>? configure, GrainReferenceConverter? references)
    {
        var options = new JsonSerializerOptions
        {
            IncludeFields = true,
            NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
            TypeInfoResolver = new DefaultJsonTypeInfoResolver { Modifiers = { MarkedMembers.Include } },
        };
        if (references is not null)
        {
            options.Converters.Add(references);
        }

        configure?.Invoke(options);
        options.MakeReadOnly(populateMissingResolver: true);
        return options;
    }

    private JsonTypeInfo<T> TypeInfo<T>() => (JsonTypeInfo<T>)_options.GetTypeInfo(typeof(T));
}
