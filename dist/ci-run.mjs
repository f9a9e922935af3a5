import { createRequire as createRequireForBundle } from "node:module";
const require = createRequireForBundle(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __require = /* @__PURE__ */ ((x) => typeof require !== "undefined" ? require : typeof Proxy !== "undefined" ? new Proxy(x, {
  get: (a, b) => (typeof require !== "undefined" ? require : a)[b]
}) : x)(function(x) {
  if (typeof require !== "undefined") return require.apply(this, arguments);
  throw Error('Dynamic require of "' + x + '" is not supported');
});
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __commonJS = (cb, mod) => function __require2() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// <define:builtScripts>
var init_define_builtScripts = __esm({
  "<define:builtScripts>"() {
  }
});

// node_modules/pend/index.js
var require_pend = __commonJS({
  "node_modules/pend/index.js"(exports, module) {
    init_define_builtScripts();
    module.exports = Pend;
    function Pend() {
      this.pending = 0;
      this.max = Infinity;
      this.listeners = [];
      this.waiting = [];
      this.error = null;
    }
    Pend.prototype.go = function(fn) {
      if (this.pending < this.max) {
        pendGo(this, fn);
      } else {
        this.waiting.push(fn);
      }
    };
    Pend.prototype.wait = function(cb) {
      if (this.pending === 0) {
        cb(this.error);
      } else {
        this.listeners.push(cb);
      }
    };
    Pend.prototype.hold = function() {
      return pendHold(this);
    };
    function pendHold(self) {
      self.pending += 1;
      var called = false;
      return onCb;
      function onCb(err) {
        if (called) throw new Error("callback called twice");
        called = true;
        self.error = self.error || err;
        self.pending -= 1;
        if (self.waiting.length > 0 && self.pending < self.max) {
          pendGo(self, self.waiting.shift());
        } else if (self.pending === 0) {
          var listeners = self.listeners;
          self.listeners = [];
          listeners.forEach(cbListener);
        }
      }
      function cbListener(listener) {
        listener(self.error);
      }
    }
    function pendGo(self, fn) {
      fn(pendHold(self));
    }
  }
});

// node_modules/yauzl/fd-slicer.js
var require_fd_slicer = __commonJS({
  "node_modules/yauzl/fd-slicer.js"(exports) {
    init_define_builtScripts();
    var fs = __require("fs");
    var util = __require("util");
    var stream = __require("stream");
    var Readable2 = stream.Readable;
    var PassThrough = stream.PassThrough;
    var Pend = require_pend();
    var EventEmitter = __require("events").EventEmitter;
    exports.BufferSlicer = BufferSlicer;
    exports.FdSlicer = FdSlicer;
    util.inherits(FdSlicer, EventEmitter);
    function FdSlicer(fd) {
      EventEmitter.call(this);
      this.fd = fd;
      this.pend = new Pend();
      this.pend.max = 1;
      this.refCount = 0;
    }
    FdSlicer.prototype.read = function(buffer, offset, length, position, callback) {
      var self = this;
      self.pend.go(function(cb) {
        fs.read(self.fd, buffer, offset, length, position, function(err, bytesRead, buffer2) {
          cb();
          callback(err, bytesRead, buffer2);
        });
      });
    };
    FdSlicer.prototype.createReadStream = function(options2) {
      return new ReadStream(this, options2);
    };
    FdSlicer.prototype.ref = function() {
      this.refCount += 1;
    };
    FdSlicer.prototype.unref = function() {
      var self = this;
      self.refCount -= 1;
      if (self.refCount < 0) throw new Error("invalid unref");
      if (self.refCount > 0) return;
      fs.close(self.fd, onCloseDone);
      function onCloseDone(err) {
        if (err) {
          self.emit("error", err);
        } else {
          self.emit("close");
        }
      }
    };
    util.inherits(ReadStream, Readable2);
    function ReadStream(context, options2) {
      options2 = options2 || {};
      Readable2.call(this, options2);
      this.context = context;
      this.context.ref();
      this.start = options2.start || 0;
      this.endOffset = options2.end;
      this.pos = this.start;
    }
    ReadStream.prototype._read = function(n) {
      var self = this;
      var toRead = Math.min(self._readableState.highWaterMark, n);
      if (self.endOffset != null) {
        toRead = Math.min(toRead, self.endOffset - self.pos);
      }
      if (toRead <= 0) {
        self.push(null);
        this._cleanup();
        return;
      }
      self.context.pend.go(function(cb) {
        var buffer = Buffer.allocUnsafe(toRead);
        fs.read(self.context.fd, buffer, 0, toRead, self.pos, function(err, bytesRead) {
          if (err) {
            self.destroy(err);
          } else if (bytesRead === 0) {
            self.push(null);
            self._cleanup();
          } else {
            self.pos += bytesRead;
            self.push(buffer.slice(0, bytesRead));
          }
          cb();
        });
      });
    };
    ReadStream.prototype._destroy = function(err, cb) {
      this._cleanup();
      cb(err);
    };
    ReadStream.prototype._cleanup = function() {
      if (this.context != null) {
        this.context.unref();
        this.context = null;
      }
    };
    util.inherits(BufferSlicer, EventEmitter);
    function BufferSlicer(buffer) {
      EventEmitter.call(this);
      this.refCount = 0;
      this.buffer = buffer;
    }
    BufferSlicer.prototype.read = function(buffer, offset, length, position, callback) {
      if (!(0 <= offset && offset <= buffer.length)) throw new RangeError("offset outside buffer: 0 <= " + offset + " <= " + buffer.length);
      if (position < 0) throw new RangeError("position is negative: " + position);
      if (offset + length > buffer.length) {
        length = buffer.length - offset;
      }
      if (position + length > this.buffer.length) {
        length = this.buffer.length - position;
      }
      if (length <= 0) {
        setImmediate(function() {
          callback(null, 0);
        });
        return;
      }
      this.buffer.copy(buffer, offset, position, position + length);
      setImmediate(function() {
        callback(null, length);
      });
    };
    BufferSlicer.prototype.createReadStream = function(options2) {
      options2 = options2 || {};
      var readStream = new PassThrough(options2);
      readStream.start = options2.start || 0;
      readStream.endOffset = options2.end;
      readStream.pos = readStream.endOffset || this.buffer.length;
      var entireSlice = this.buffer.slice(readStream.start, readStream.pos);
      var maxChunkSize = 65536;
      var offset = 0;
      while (true) {
        var nextOffset = offset + maxChunkSize;
        if (nextOffset >= entireSlice.length) {
          if (offset < entireSlice.length) {
            readStream.write(entireSlice.slice(offset, entireSlice.length));
          }
          break;
        }
        readStream.write(entireSlice.slice(offset, nextOffset));
        offset = nextOffset;
      }
      readStream.end();
      return readStream;
    };
    BufferSlicer.prototype.ref = function() {
      this.refCount += 1;
    };
    BufferSlicer.prototype.unref = function() {
      this.refCount -= 1;
      if (this.refCount < 0) {
        throw new Error("invalid unref");
      }
    };
  }
});

// node_modules/yauzl/crc32.js
var require_crc32 = __commonJS({
  "node_modules/yauzl/crc32.js"(exports, module) {
    init_define_builtScripts();
    var CRC_TABLE = new Int32Array([
      0,
      1996959894,
      3993919788,
      2567524794,
      124634137,
      1886057615,
      3915621685,
      2657392035,
      249268274,
      2044508324,
      3772115230,
      2547177864,
      162941995,
      2125561021,
      3887607047,
      2428444049,
      498536548,
      1789927666,
      4089016648,
      2227061214,
      450548861,
      1843258603,
      4107580753,
      2211677639,
      325883990,
      1684777152,
      4251122042,
      2321926636,
      335633487,
      1661365465,
      4195302755,
      2366115317,
      997073096,
      1281953886,
      3579855332,
      2724688242,
      1006888145,
      1258607687,
      3524101629,
      2768942443,
      901097722,
      1119000684,
      3686517206,
      2898065728,
      853044451,
      1172266101,
      3705015759,
      2882616665,
      651767980,
      1373503546,
      3369554304,
      3218104598,
      565507253,
      1454621731,
      3485111705,
      3099436303,
      671266974,
      1594198024,
      3322730930,
      2970347812,
      795835527,
      1483230225,
      3244367275,
      3060149565,
      1994146192,
      31158534,
      2563907772,
      4023717930,
      1907459465,
      112637215,
      2680153253,
      3904427059,
      2013776290,
      251722036,
      2517215374,
      3775830040,
      2137656763,
      141376813,
      2439277719,
      3865271297,
      1802195444,
      476864866,
      2238001368,
      4066508878,
      1812370925,
      453092731,
      2181625025,
      4111451223,
      1706088902,
      314042704,
      2344532202,
      4240017532,
      1658658271,
      366619977,
      2362670323,
      4224994405,
      1303535960,
      984961486,
      2747007092,
      3569037538,
      1256170817,
      1037604311,
      2765210733,
      3554079995,
      1131014506,
      879679996,
      2909243462,
      3663771856,
      1141124467,
      855842277,
      2852801631,
      3708648649,
      1342533948,
      654459306,
      3188396048,
      3373015174,
      1466479909,
      544179635,
      3110523913,
      3462522015,
      1591671054,
      702138776,
      2966460450,
      3352799412,
      1504918807,
      783551873,
      3082640443,
      3233442989,
      3988292384,
      2596254646,
      62317068,
      1957810842,
      3939845945,
      2647816111,
      81470997,
      1943803523,
      3814918930,
      2489596804,
      225274430,
      2053790376,
      3826175755,
      2466906013,
      167816743,
      2097651377,
      4027552580,
      2265490386,
      503444072,
      1762050814,
      4150417245,
      2154129355,
      426522225,
      1852507879,
      4275313526,
      2312317920,
      282753626,
      1742555852,
      4189708143,
      2394877945,
      397917763,
      1622183637,
      3604390888,
      2714866558,
      953729732,
      1340076626,
      3518719985,
      2797360999,
      1068828381,
      1219638859,
      3624741850,
      2936675148,
      906185462,
      1090812512,
      3747672003,
      2825379669,
      829329135,
      1181335161,
      3412177804,
      3160834842,
      628085408,
      1382605366,
      3423369109,
      3138078467,
      570562233,
      1426400815,
      3317316542,
      2998733608,
      733239954,
      1555261956,
      3268935591,
      3050360625,
      752459403,
      1541320221,
      2607071920,
      3965973030,
      1969922972,
      40735498,
      2617837225,
      3943577151,
      1913087877,
      83908371,
      2512341634,
      3803740692,
      2075208622,
      213261112,
      2463272603,
      3855990285,
      2094854071,
      198958881,
      2262029012,
      4057260610,
      1759359992,
      534414190,
      2176718541,
      4139329115,
      1873836001,
      414664567,
      2282248934,
      4279200368,
      1711684554,
      285281116,
      2405801727,
      4167216745,
      1634467795,
      376229701,
      2685067896,
      3608007406,
      1308918612,
      956543938,
      2808555105,
      3495958263,
      1231636301,
      1047427035,
      2932959818,
      3654703836,
      1088359270,
      936918e3,
      2847714899,
      3736837829,
      1202900863,
      817233897,
      3183342108,
      3401237130,
      1404277552,
      615818150,
      3134207493,
      3453421203,
      1423857449,
      601450431,
      3009837614,
      3294710456,
      1567103746,
      711928724,
      3020668471,
      3272380065,
      1510334235,
      755167117
    ]);
    function crc32(buf) {
      let crc = -1;
      for (let x of buf) {
        crc = CRC_TABLE[(crc ^ x) & 255] ^ crc >>> 8;
      }
      return (crc ^ -1) >>> 0;
    }
    module.exports = crc32;
  }
});

// node_modules/yauzl/index.js
var require_yauzl = __commonJS({
  "node_modules/yauzl/index.js"(exports) {
    init_define_builtScripts();
    var fs = __require("fs");
    var zlib = __require("zlib");
    var fd_slicer = require_fd_slicer();
    var util = __require("util");
    var EventEmitter = __require("events").EventEmitter;
    var Transform3 = __require("stream").Transform;
    var PassThrough = __require("stream").PassThrough;
    var Writable = __require("stream").Writable;
    var crc32 = typeof zlib.crc32 === "function" ? zlib.crc32 : require_crc32();
    exports.open = open;
    exports.fromFd = fromFd;
    exports.fromBuffer = fromBuffer;
    exports.fromRandomAccessReader = fromRandomAccessReader;
    exports.openPromise = openPromise;
    exports.fromFdPromise = fromFdPromise;
    exports.fromBufferPromise = fromBufferPromise;
    exports.fromRandomAccessReaderPromise = fromRandomAccessReaderPromise;
    exports.dosDateTimeToDate = dosDateTimeToDate;
    exports.getFileNameLowLevel = getFileNameLowLevel;
    exports.validateFileName = validateFileName;
    exports.parseExtraFields = parseExtraFields;
    exports.ZipFile = ZipFile;
    exports.Entry = Entry;
    exports.LocalFileHeader = LocalFileHeader;
    exports.RandomAccessReader = RandomAccessReader;
    function openPromise(path, options2) {
      return new Promise((resolve, reject) => {
        open(path, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromFdPromise(fd, options2) {
      return new Promise((resolve, reject) => {
        fromFd(fd, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromBufferPromise(buffer, options2) {
      return new Promise((resolve, reject) => {
        fromBuffer(buffer, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function fromRandomAccessReaderPromise(reader, totalSize, options2) {
      return new Promise((resolve, reject) => {
        fromRandomAccessReader(reader, totalSize, { ...options2, lazyEntries: true }, function(err, zipfile) {
          if (err) return reject(err);
          resolve(zipfile);
        });
      });
    }
    function open(path, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = true;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      fs.open(path, "r", function(err, fd) {
        if (err) return callback(err);
        fromFd(fd, options2, function(err2, zipfile) {
          if (err2) fs.close(fd, defaultCallback);
          callback(err2, zipfile);
        });
      });
    }
    function fromFd(fd, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = false;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      fs.fstat(fd, function(err, stats) {
        if (err) return callback(err);
        var reader = new fd_slicer.FdSlicer(fd);
        fromRandomAccessReader(reader, stats.size, options2, callback);
      });
    }
    function fromBuffer(buffer, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      options2.autoClose = false;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      var reader = new fd_slicer.BufferSlicer(buffer);
      fromRandomAccessReader(reader, buffer.length, options2, callback);
    }
    function fromRandomAccessReader(reader, totalSize, options2, callback) {
      if (typeof options2 === "function") {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      if (options2.autoClose == null) options2.autoClose = true;
      if (options2.lazyEntries == null) options2.lazyEntries = false;
      if (options2.decodeStrings == null) options2.decodeStrings = true;
      var decodeStrings = !!options2.decodeStrings;
      if (options2.validateEntrySizes == null) options2.validateEntrySizes = true;
      if (options2.strictFileNames == null) options2.strictFileNames = false;
      if (callback == null) callback = defaultCallback;
      if (typeof totalSize !== "number") throw new Error("expected totalSize parameter to be a number");
      if (totalSize > Number.MAX_SAFE_INTEGER) {
        throw new Error("zip file too large. only file sizes up to 2^52 are supported due to JavaScript's Number type being an IEEE 754 double.");
      }
      reader.ref();
      var eocdrWithoutCommentSize = 22;
      var zip64EocdlSize = 20;
      var maxCommentSize = 65535;
      var bufferSize = Math.min(zip64EocdlSize + eocdrWithoutCommentSize + maxCommentSize, totalSize);
      var buffer = newBuffer(bufferSize);
      var bufferReadStart = totalSize - buffer.length;
      readAndAssertNoEof(reader, buffer, 0, bufferSize, bufferReadStart, function(err) {
        if (err) return callback(err);
        for (var i = bufferSize - eocdrWithoutCommentSize; i >= 0; i -= 1) {
          if (buffer.readUInt32LE(i) !== 101010256) continue;
          var eocdrBuffer = buffer.subarray(i);
          var diskNumber = eocdrBuffer.readUInt16LE(4);
          var entryCount = eocdrBuffer.readUInt16LE(10);
          var centralDirectoryOffset = eocdrBuffer.readUInt32LE(16);
          var commentLength = eocdrBuffer.readUInt16LE(20);
          var expectedCommentLength = eocdrBuffer.length - eocdrWithoutCommentSize;
          if (commentLength !== expectedCommentLength) {
            return callback(new Error("Invalid comment length. Expected: " + expectedCommentLength + ". Found: " + commentLength + ". Are there extra bytes at the end of the file? Or is the end of central dir signature `PK\u263A\u263B` in the comment?"));
          }
          var comment = decodeStrings ? decodeBuffer(eocdrBuffer.subarray(22), false) : eocdrBuffer.subarray(22);
          if (i - zip64EocdlSize >= 0 && buffer.readUInt32LE(i - zip64EocdlSize) === 117853008) {
            var zip64EocdlBuffer = buffer.subarray(i - zip64EocdlSize, i - zip64EocdlSize + zip64EocdlSize);
            var zip64EocdrOffset = readUInt64LE(zip64EocdlBuffer, 8);
            var zip64EocdrBuffer = newBuffer(56);
            return readAndAssertNoEof(reader, zip64EocdrBuffer, 0, zip64EocdrBuffer.length, zip64EocdrOffset, function(err2) {
              if (err2) return callback(err2);
              if (zip64EocdrBuffer.readUInt32LE(0) !== 101075792) {
                return callback(new Error("invalid zip64 end of central directory record signature"));
              }
              diskNumber = zip64EocdrBuffer.readUInt32LE(16);
              if (diskNumber !== 0) {
                return callback(new Error("multi-disk zip files are not supported: found disk number: " + diskNumber));
              }
              entryCount = readUInt64LE(zip64EocdrBuffer, 32);
              centralDirectoryOffset = readUInt64LE(zip64EocdrBuffer, 48);
              return callback(null, new ZipFile(reader, centralDirectoryOffset, totalSize, entryCount, comment, options2.autoClose, options2.lazyEntries, decodeStrings, options2.validateEntrySizes, options2.strictFileNames));
            });
          }
          if (diskNumber !== 0) {
            return callback(new Error("multi-disk zip files are not supported: found disk number: " + diskNumber));
          }
          return callback(null, new ZipFile(reader, centralDirectoryOffset, totalSize, entryCount, comment, options2.autoClose, options2.lazyEntries, decodeStrings, options2.validateEntrySizes, options2.strictFileNames));
        }
        callback(new Error("End of central directory record signature not found. Either not a zip file, or file is truncated."));
      });
    }
    util.inherits(ZipFile, EventEmitter);
    function ZipFile(reader, centralDirectoryOffset, fileSize, entryCount, comment, autoClose, lazyEntries, decodeStrings, validateEntrySizes, strictFileNames) {
      var self = this;
      EventEmitter.call(self);
      self.reader = reader;
      self.reader.on("error", function(err) {
        emitError(self, err);
      });
      self.reader.once("close", function() {
        self.emit("close");
      });
      self.readEntryCursor = centralDirectoryOffset;
      self.fileSize = fileSize;
      self.entryCount = entryCount;
      self.comment = comment;
      self.entriesRead = 0;
      self.autoClose = !!autoClose;
      self.lazyEntries = !!lazyEntries;
      self.decodeStrings = !!decodeStrings;
      self.validateEntrySizes = !!validateEntrySizes;
      self.strictFileNames = !!strictFileNames;
      self.isOpen = true;
      self.emittedError = false;
      self.hasEachEntryBeenCalled = false;
      if (!self.lazyEntries) self._readEntry();
    }
    ZipFile.prototype.close = function() {
      if (!this.isOpen) return;
      this.isOpen = false;
      this.reader.unref();
    };
    function emitErrorAndAutoClose(self, err) {
      if (self.autoClose) self.close();
      emitError(self, err);
    }
    function emitError(self, err) {
      if (self.emittedError) return;
      self.emittedError = true;
      self.emit("error", err);
    }
    ZipFile.prototype.readEntry = function() {
      if (!this.lazyEntries) throw new Error("readEntry() called without lazyEntries:true");
      this._readEntry();
    };
    ZipFile.prototype._readEntry = function() {
      var self = this;
      if (self.entryCount === self.entriesRead) {
        setImmediate(function() {
          if (self.autoClose) self.close();
          if (self.emittedError) return;
          self.emit("end");
        });
        return;
      }
      if (self.emittedError) return;
      var buffer = newBuffer(46);
      readAndAssertNoEof(self.reader, buffer, 0, buffer.length, self.readEntryCursor, function(err) {
        if (err) return emitErrorAndAutoClose(self, err);
        if (self.emittedError) return;
        var entry = new Entry();
        var signature = buffer.readUInt32LE(0);
        if (signature !== 33639248) return emitErrorAndAutoClose(self, new Error("invalid central directory file header signature: 0x" + signature.toString(16)));
        entry.versionMadeBy = buffer.readUInt16LE(4);
        entry.versionNeededToExtract = buffer.readUInt16LE(6);
        entry.generalPurposeBitFlag = buffer.readUInt16LE(8);
        entry.compressionMethod = buffer.readUInt16LE(10);
        entry.lastModFileTime = buffer.readUInt16LE(12);
        entry.lastModFileDate = buffer.readUInt16LE(14);
        entry.crc32 = buffer.readUInt32LE(16);
        entry.compressedSize = buffer.readUInt32LE(20);
        entry.uncompressedSize = buffer.readUInt32LE(24);
        entry.fileNameLength = buffer.readUInt16LE(28);
        entry.extraFieldLength = buffer.readUInt16LE(30);
        entry.fileCommentLength = buffer.readUInt16LE(32);
        entry.internalFileAttributes = buffer.readUInt16LE(36);
        entry.externalFileAttributes = buffer.readUInt32LE(38);
        entry.relativeOffsetOfLocalHeader = buffer.readUInt32LE(42);
        if (entry.generalPurposeBitFlag & 64) return emitErrorAndAutoClose(self, new Error("strong encryption is not supported"));
        self.readEntryCursor += 46;
        buffer = newBuffer(entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength);
        readAndAssertNoEof(self.reader, buffer, 0, buffer.length, self.readEntryCursor, function(err2) {
          if (err2) return emitErrorAndAutoClose(self, err2);
          if (self.emittedError) return;
          entry.fileNameRaw = buffer.subarray(0, entry.fileNameLength);
          var fileCommentStart = entry.fileNameLength + entry.extraFieldLength;
          entry.extraFieldRaw = buffer.subarray(entry.fileNameLength, fileCommentStart);
          entry.fileCommentRaw = buffer.subarray(fileCommentStart, fileCommentStart + entry.fileCommentLength);
          try {
            entry.extraFields = parseExtraFields(entry.extraFieldRaw);
          } catch (err3) {
            return emitErrorAndAutoClose(self, err3);
          }
          if (self.decodeStrings) {
            var isUtf8 = (entry.generalPurposeBitFlag & 2048) !== 0;
            entry.fileComment = decodeBuffer(entry.fileCommentRaw, isUtf8);
            entry.fileName = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, self.strictFileNames);
            var errorMessage = validateFileName(entry.fileName);
            if (errorMessage != null) return emitErrorAndAutoClose(self, new Error(errorMessage));
          } else {
            entry.fileComment = entry.fileCommentRaw;
            entry.fileName = entry.fileNameRaw;
          }
          entry.comment = entry.fileComment;
          self.readEntryCursor += buffer.length;
          self.entriesRead += 1;
          for (var i = 0; i < entry.extraFields.length; i++) {
            var extraField = entry.extraFields[i];
            if (extraField.id !== 1) continue;
            var zip64EiefBuffer = extraField.data;
            var index = 0;
            if (entry.uncompressedSize === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include uncompressed size"));
              }
              entry.uncompressedSize = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            if (entry.compressedSize === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include compressed size"));
              }
              entry.compressedSize = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            if (entry.relativeOffsetOfLocalHeader === 4294967295) {
              if (index + 8 > zip64EiefBuffer.length) {
                return emitErrorAndAutoClose(self, new Error("zip64 extended information extra field does not include relative header offset"));
              }
              entry.relativeOffsetOfLocalHeader = readUInt64LE(zip64EiefBuffer, index);
              index += 8;
            }
            break;
          }
          if (self.validateEntrySizes && entry.compressionMethod === 0) {
            var expectedCompressedSize = entry.uncompressedSize;
            if (entry.isEncrypted()) {
              expectedCompressedSize += 12;
            }
            if (entry.compressedSize !== expectedCompressedSize) {
              var msg = "compressed/uncompressed size mismatch for stored file: " + entry.compressedSize + " != " + entry.uncompressedSize;
              return emitErrorAndAutoClose(self, new Error(msg));
            }
          }
          self.emit("entry", entry);
          if (!self.lazyEntries) self._readEntry();
        });
      });
    };
    ZipFile.prototype.eachEntry = function() {
      const self = this;
      if (!self.lazyEntries) throw new Error("eachEntry() requires lazyEntries: true");
      if (self.hasEachEntryBeenCalled) throw new Error("eachEntry() must only be called once per ZipFile");
      self.hasEachEntryBeenCalled = true;
      let pendingResolveReject = null;
      self.on("entry", onEntry);
      self.on("end", onEnd);
      self.on("error", onError);
      function cleanup() {
        self.removeListener("entry", onEntry);
        self.removeListener("end", onEnd);
        self.removeListener("error", onError);
        if (self.autoClose) self.close();
      }
      function onEntry(entry) {
        let { resolve } = pendingResolveReject;
        pendingResolveReject = null;
        resolve({ value: entry });
      }
      function onEnd() {
        let { resolve } = pendingResolveReject;
        pendingResolveReject = null;
        cleanup();
        resolve({ done: true });
      }
      function onError(err) {
        let { reject } = pendingResolveReject;
        pendingResolveReject = null;
        cleanup();
        reject(err);
      }
      return {
        [Symbol.asyncIterator]() {
          return this;
        },
        next() {
          const promise = new Promise((resolve, reject) => {
            if (pendingResolveReject != null) throw new Error("next() called before previous Promise was resolved.");
            pendingResolveReject = { resolve, reject };
          });
          self.readEntry();
          return promise;
        },
        return(value) {
          cleanup();
          return Promise.resolve({ done: true, value });
        },
        throw(value) {
          cleanup();
          return Promise.reject(value);
        }
      };
    };
    ZipFile.prototype.openReadStream = function(entry, options2, callback) {
      var self = this;
      var relativeStart = 0;
      var relativeEnd = entry.compressedSize;
      if (callback == null) {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) {
        options2 = {};
      } else {
        if (options2.decodeFileData === false) {
          if (options2.decrypt != null) {
            throw new Error("cannot use options.decrypt when options.decodeFileData === false");
          }
          if (options2.decompress != null) {
            throw new Error("cannot use options.decompress when options.decodeFileData === false");
          }
        } else {
          if (options2.decrypt != null) {
            if (!entry.isEncrypted()) {
              throw new Error("options.decrypt can only be specified for encrypted entries. See also option decodeFileData.");
            }
            if (options2.decrypt !== false) throw new Error("invalid options.decrypt value: " + options2.decrypt);
            if (entry.isCompressed()) {
              if (options2.decompress !== false) throw new Error("entry is encrypted and compressed, and options.decompress !== false. See also option decodeFileData.");
            }
          }
          if (options2.decompress != null) {
            if (!entry.isCompressed()) {
              throw new Error("options.decompress can only be specified for compressed entries. See also option decodeFileData.");
            }
            if (!(options2.decompress === false || options2.decompress === true)) {
              throw new Error("invalid options.decompress value: " + options2.decompress);
            }
            decompress = options2.decompress;
          }
        }
        if (options2.start != null) {
          relativeStart = options2.start;
          if (relativeStart < 0) throw new Error("options.start < 0");
          if (relativeStart > entry.compressedSize) throw new Error("options.start > entry.compressedSize");
        }
        if (options2.end != null) {
          relativeEnd = options2.end;
          if (relativeEnd < 0) throw new Error("options.end < 0");
          if (relativeEnd > entry.compressedSize) throw new Error("options.end > entry.compressedSize");
          if (relativeEnd < relativeStart) throw new Error("options.end < options.start");
        }
      }
      var rawMode = options2.decodeFileData === false || // Explicitly requested raw.
      (entry.compressionMethod === 0 || // Naturally without compression.
      entry.compressionMethod === 8 && options2.decompress === false) && (!entry.isEncrypted() || // Naturally without encryption.
      options2.decrypt === false);
      if (options2.start != null || options2.end != null) {
        if (!rawMode) throw new Error("start/end range require options.decodeFileData === false for non-trivial encoded entries.");
      }
      if (!self.isOpen) return callback(new Error("closed"));
      if (entry.isEncrypted() && !rawMode) {
        if (options2.decrypt !== false) return callback(new Error("entry is encrypted, and options.decodeFileData !== false"));
      }
      var decompress;
      if (rawMode) {
        decompress = false;
      } else if (entry.compressionMethod === 8) {
        decompress = options2.decodeFileData !== true;
      } else {
        return callback(new Error("unsupported compression method: " + entry.compressionMethod));
      }
      self.readLocalFileHeader(entry, { minimal: true }, function(err, localFileHeader) {
        if (err) return callback(err);
        self.openReadStreamLowLevel(
          localFileHeader.fileDataStart,
          entry.compressedSize,
          relativeStart,
          relativeEnd,
          decompress,
          entry.uncompressedSize,
          callback
        );
      });
    };
    ZipFile.prototype.openReadStreamLowLevel = function(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize, callback) {
      var self = this;
      var fileDataEnd = fileDataStart + compressedSize;
      var readStream = self.reader.createReadStream({
        start: fileDataStart + relativeStart,
        end: fileDataStart + relativeEnd
      });
      var endpointStream = readStream;
      if (decompress) {
        var destroyed = false;
        var inflateFilter = zlib.createInflateRaw();
        readStream.on("error", function(err) {
          setImmediate(function() {
            if (!destroyed) inflateFilter.emit("error", err);
          });
        });
        readStream.pipe(inflateFilter);
        if (self.validateEntrySizes) {
          endpointStream = new AssertByteCountStream(uncompressedSize);
          inflateFilter.on("error", function(err) {
            setImmediate(function() {
              if (!destroyed) endpointStream.emit("error", err);
            });
          });
          inflateFilter.pipe(endpointStream);
        } else {
          endpointStream = inflateFilter;
        }
        installDestroyFn(endpointStream, function() {
          destroyed = true;
          if (inflateFilter !== endpointStream) inflateFilter.unpipe(endpointStream);
          readStream.unpipe(inflateFilter);
          readStream.destroy();
        });
      }
      callback(null, endpointStream);
    };
    ZipFile.prototype.readLocalFileHeader = function(entry, options2, callback) {
      var self = this;
      if (callback == null) {
        callback = options2;
        options2 = null;
      }
      if (options2 == null) options2 = {};
      self.reader.ref();
      var buffer = newBuffer(30);
      readAndAssertNoEof(self.reader, buffer, 0, buffer.length, entry.relativeOffsetOfLocalHeader, function(err) {
        try {
          if (err) return callback(err);
          var signature = buffer.readUInt32LE(0);
          if (signature !== 67324752) {
            return callback(new Error("invalid local file header signature: 0x" + signature.toString(16)));
          }
          var fileNameLength = buffer.readUInt16LE(26);
          var extraFieldLength = buffer.readUInt16LE(28);
          var fileDataStart = entry.relativeOffsetOfLocalHeader + 30 + fileNameLength + extraFieldLength;
          if (fileDataStart + entry.compressedSize > self.fileSize) {
            return callback(new Error("file data overflows file bounds: " + fileDataStart + " + " + entry.compressedSize + " > " + self.fileSize));
          }
          if (options2.minimal) {
            return callback(null, { fileDataStart });
          }
          var localFileHeader = new LocalFileHeader();
          localFileHeader.fileDataStart = fileDataStart;
          localFileHeader.versionNeededToExtract = buffer.readUInt16LE(4);
          localFileHeader.generalPurposeBitFlag = buffer.readUInt16LE(6);
          localFileHeader.compressionMethod = buffer.readUInt16LE(8);
          localFileHeader.lastModFileTime = buffer.readUInt16LE(10);
          localFileHeader.lastModFileDate = buffer.readUInt16LE(12);
          localFileHeader.crc32 = buffer.readUInt32LE(14);
          localFileHeader.compressedSize = buffer.readUInt32LE(18);
          localFileHeader.uncompressedSize = buffer.readUInt32LE(22);
          localFileHeader.fileNameLength = fileNameLength;
          localFileHeader.extraFieldLength = extraFieldLength;
          buffer = newBuffer(fileNameLength + extraFieldLength);
          self.reader.ref();
          readAndAssertNoEof(self.reader, buffer, 0, buffer.length, entry.relativeOffsetOfLocalHeader + 30, function(err2) {
            try {
              if (err2) return callback(err2);
              localFileHeader.fileName = buffer.subarray(0, fileNameLength);
              localFileHeader.extraField = buffer.subarray(fileNameLength);
              return callback(null, localFileHeader);
            } finally {
              self.reader.unref();
            }
          });
        } finally {
          self.reader.unref();
        }
      });
    };
    ZipFile.prototype.openReadStreamPromise = function(entry, options2) {
      return new Promise((resolve, reject) => {
        this.openReadStream(entry, options2, function(err, readStream) {
          if (err) return reject(err);
          resolve(readStream);
        });
      });
    };
    ZipFile.prototype.openReadStreamLowLevelPromise = function(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize) {
      return new Promise((resolve, reject) => {
        this.openReadStream(fileDataStart, compressedSize, relativeStart, relativeEnd, decompress, uncompressedSize, function(err, readStream) {
          if (err) return reject(err);
          resolve(readStream);
        });
      });
    };
    ZipFile.prototype.readLocalFileHeaderPromise = function(entry, options2) {
      return new Promise((resolve, reject) => {
        this.readLocalFileHeader(entry, options2, function(err, localFileHeader) {
          if (err) return reject(err);
          resolve(localFileHeader);
        });
      });
    };
    function Entry() {
    }
    Entry.prototype.getLastModDate = function(options2) {
      if (options2 == null) options2 = {};
      if (!options2.forceDosFormat) {
        for (var i = 0; i < this.extraFields.length; i++) {
          var extraField = this.extraFields[i];
          if (extraField.id === 21589) {
            var data = extraField.data;
            if (data.length < 5) continue;
            var flags = data[0];
            var HAS_MTIME = 1;
            if (!(flags & HAS_MTIME)) continue;
            var posixTimestamp = data.readInt32LE(1);
            return new Date(posixTimestamp * 1e3);
          } else if (extraField.id === 10) {
            var data = extraField.data;
            if (data.length !== 32) continue;
            if (data.readUInt16LE(4) !== 1) continue;
            if (data.readUInt16LE(6) !== 24) continue;
            var hundredNanoSecondsSince1601 = data.readUInt32LE(8) + 4294967296 * data.readInt32LE(12);
            var millisecondsSince1970 = hundredNanoSecondsSince1601 / 1e4 - 116444736e5;
            return new Date(millisecondsSince1970);
          }
        }
      }
      return dosDateTimeToDate(this.lastModFileDate, this.lastModFileTime, options2.timezone);
    };
    Entry.prototype.canDecodeFileData = function() {
      return !this.isEncrypted() && (this.compressionMethod === 0 || this.compressionMethod === 8);
    };
    Entry.prototype.isEncrypted = function() {
      return (this.generalPurposeBitFlag & 1) !== 0;
    };
    Entry.prototype.isCompressed = function() {
      return this.compressionMethod === 8;
    };
    function LocalFileHeader() {
    }
    function dosDateTimeToDate(date, time, timezone) {
      var day = date & 31;
      var month = (date >> 5 & 15) - 1;
      var year = (date >> 9 & 127) + 1980;
      var millisecond = 0;
      var second = (time & 31) * 2;
      var minute = time >> 5 & 63;
      var hour = time >> 11 & 31;
      if (timezone == null || timezone === "local") {
        return new Date(year, month, day, hour, minute, second, millisecond);
      } else if (timezone === "UTC") {
        return new Date(Date.UTC(year, month, day, hour, minute, second, millisecond));
      } else {
        throw new Error("unrecognized options.timezone: " + options.timezone);
      }
    }
    function getFileNameLowLevel(generalPurposeBitFlag, fileNameBuffer, extraFields, strictFileNames) {
      var fileName = null;
      for (var i = 0; i < extraFields.length; i++) {
        var extraField = extraFields[i];
        if (extraField.id === 28789) {
          if (extraField.data.length < 6) {
            continue;
          }
          if (extraField.data.readUInt8(0) !== 1) {
            continue;
          }
          var oldNameCrc32 = extraField.data.readUInt32LE(1);
          if (crc32(fileNameBuffer) !== oldNameCrc32) {
            continue;
          }
          fileName = decodeBuffer(extraField.data.subarray(5), true);
          break;
        }
      }
      if (fileName == null) {
        var isUtf8 = (generalPurposeBitFlag & 2048) !== 0;
        fileName = decodeBuffer(fileNameBuffer, isUtf8);
      }
      if (!strictFileNames) {
        fileName = fileName.replace(/\\/g, "/");
      }
      return fileName;
    }
    function validateFileName(fileName) {
      if (fileName.indexOf("\\") !== -1) {
        return "invalid characters in fileName: " + fileName;
      }
      if (/^[a-zA-Z]:/.test(fileName) || /^\//.test(fileName)) {
        return "absolute path: " + fileName;
      }
      if (fileName.split("/").indexOf("..") !== -1) {
        return "invalid relative path: " + fileName;
      }
      return null;
    }
    function parseExtraFields(extraFieldBuffer) {
      var extraFields = [];
      var i = 0;
      while (i < extraFieldBuffer.length - 3) {
        var headerId = extraFieldBuffer.readUInt16LE(i + 0);
        var dataSize = extraFieldBuffer.readUInt16LE(i + 2);
        var dataStart = i + 4;
        var dataEnd = dataStart + dataSize;
        if (dataEnd > extraFieldBuffer.length) throw new Error("extra field length exceeds extra field buffer size");
        var dataBuffer = extraFieldBuffer.subarray(dataStart, dataEnd);
        extraFields.push({
          id: headerId,
          data: dataBuffer
        });
        i = dataEnd;
      }
      return extraFields;
    }
    function readAndAssertNoEof(reader, buffer, offset, length, position, callback) {
      if (length === 0) {
        return setImmediate(function() {
          callback(null, newBuffer(0));
        });
      }
      reader.read(buffer, offset, length, position, function(err, bytesRead) {
        if (err) return callback(err);
        if (bytesRead < length) {
          return callback(new Error("unexpected EOF"));
        }
        callback();
      });
    }
    util.inherits(AssertByteCountStream, Transform3);
    function AssertByteCountStream(byteCount) {
      Transform3.call(this);
      this.actualByteCount = 0;
      this.expectedByteCount = byteCount;
    }
    AssertByteCountStream.prototype._transform = function(chunk, encoding, cb) {
      this.actualByteCount += chunk.length;
      if (this.actualByteCount > this.expectedByteCount) {
        var msg = "too many bytes in the stream. expected " + this.expectedByteCount + ". got at least " + this.actualByteCount;
        return cb(new Error(msg));
      }
      cb(null, chunk);
    };
    AssertByteCountStream.prototype._flush = function(cb) {
      if (this.actualByteCount < this.expectedByteCount) {
        var msg = "not enough bytes in the stream. expected " + this.expectedByteCount + ". got only " + this.actualByteCount;
        return cb(new Error(msg));
      }
      cb();
    };
    util.inherits(RandomAccessReader, EventEmitter);
    function RandomAccessReader() {
      EventEmitter.call(this);
      this.refCount = 0;
    }
    RandomAccessReader.prototype.ref = function() {
      this.refCount += 1;
    };
    RandomAccessReader.prototype.unref = function() {
      var self = this;
      self.refCount -= 1;
      if (self.refCount > 0) return;
      if (self.refCount < 0) throw new Error("invalid unref");
      self.close(onCloseDone);
      function onCloseDone(err) {
        if (err) return self.emit("error", err);
        self.emit("close");
      }
    };
    RandomAccessReader.prototype.createReadStream = function(options2) {
      if (options2 == null) options2 = {};
      var start = options2.start;
      var end = options2.end;
      if (start === end) {
        var emptyStream = new PassThrough();
        setImmediate(function() {
          emptyStream.end();
        });
        return emptyStream;
      }
      var stream = this._readStreamForRange(start, end);
      var destroyed = false;
      var refUnrefFilter = new RefUnrefFilter(this);
      stream.on("error", function(err) {
        setImmediate(function() {
          if (!destroyed) refUnrefFilter.emit("error", err);
        });
      });
      installDestroyFn(refUnrefFilter, function() {
        stream.unpipe(refUnrefFilter);
        refUnrefFilter.unref();
        stream.destroy();
      });
      var byteCounter = new AssertByteCountStream(end - start);
      refUnrefFilter.on("error", function(err) {
        setImmediate(function() {
          if (!destroyed) byteCounter.emit("error", err);
        });
      });
      installDestroyFn(byteCounter, function() {
        destroyed = true;
        refUnrefFilter.unpipe(byteCounter);
        refUnrefFilter.destroy();
      });
      return stream.pipe(refUnrefFilter).pipe(byteCounter);
    };
    RandomAccessReader.prototype._readStreamForRange = function(start, end) {
      throw new Error("not implemented");
    };
    RandomAccessReader.prototype.read = function(buffer, offset, length, position, callback) {
      var readStream = this.createReadStream({ start: position, end: position + length });
      var writeStream = new Writable();
      var written = 0;
      writeStream._write = function(chunk, encoding, cb) {
        chunk.copy(buffer, offset + written, 0, chunk.length);
        written += chunk.length;
        cb();
      };
      writeStream.on("finish", callback);
      readStream.on("error", function(error) {
        callback(error);
      });
      readStream.pipe(writeStream);
    };
    RandomAccessReader.prototype.close = function(callback) {
      setImmediate(callback);
    };
    util.inherits(RefUnrefFilter, PassThrough);
    function RefUnrefFilter(context) {
      PassThrough.call(this);
      this.context = context;
      this.context.ref();
      this.unreffedYet = false;
    }
    RefUnrefFilter.prototype._flush = function(cb) {
      this.unref();
      cb();
    };
    RefUnrefFilter.prototype.unref = function(cb) {
      if (this.unreffedYet) return;
      this.unreffedYet = true;
      this.context.unref();
    };
    var cp437 = "\0\u263A\u263B\u2665\u2666\u2663\u2660\u2022\u25D8\u25CB\u25D9\u2642\u2640\u266A\u266B\u263C\u25BA\u25C4\u2195\u203C\xB6\xA7\u25AC\u21A8\u2191\u2193\u2192\u2190\u221F\u2194\u25B2\u25BC !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\u2302\xC7\xFC\xE9\xE2\xE4\xE0\xE5\xE7\xEA\xEB\xE8\xEF\xEE\xEC\xC4\xC5\xC9\xE6\xC6\xF4\xF6\xF2\xFB\xF9\xFF\xD6\xDC\xA2\xA3\xA5\u20A7\u0192\xE1\xED\xF3\xFA\xF1\xD1\xAA\xBA\xBF\u2310\xAC\xBD\xBC\xA1\xAB\xBB\u2591\u2592\u2593\u2502\u2524\u2561\u2562\u2556\u2555\u2563\u2551\u2557\u255D\u255C\u255B\u2510\u2514\u2534\u252C\u251C\u2500\u253C\u255E\u255F\u255A\u2554\u2569\u2566\u2560\u2550\u256C\u2567\u2568\u2564\u2565\u2559\u2558\u2552\u2553\u256B\u256A\u2518\u250C\u2588\u2584\u258C\u2590\u2580\u03B1\xDF\u0393\u03C0\u03A3\u03C3\xB5\u03C4\u03A6\u0398\u03A9\u03B4\u221E\u03C6\u03B5\u2229\u2261\xB1\u2265\u2264\u2320\u2321\xF7\u2248\xB0\u2219\xB7\u221A\u207F\xB2\u25A0\xA0";
    function decodeBuffer(buffer, isUtf8) {
      if (isUtf8) {
        return buffer.toString("utf8");
      } else {
        var result = "";
        for (var i = 0; i < buffer.length; i++) {
          result += cp437[buffer[i]];
        }
        return result;
      }
    }
    function readUInt64LE(buffer, offset) {
      var lower32 = buffer.readUInt32LE(offset);
      var upper32 = buffer.readUInt32LE(offset + 4);
      return upper32 * 4294967296 + lower32;
    }
    var newBuffer;
    if (typeof Buffer.allocUnsafe === "function") {
      newBuffer = function(len) {
        return Buffer.allocUnsafe(len);
      };
    } else {
      newBuffer = function(len) {
        return new Buffer(len);
      };
    }
    function installDestroyFn(stream, fn) {
      if (typeof stream.destroy === "function") {
        stream._destroy = function(err, cb) {
          fn();
          if (cb != null) cb(err);
        };
      } else {
        stream.destroy = fn;
      }
    }
    function defaultCallback(err) {
      if (err) throw err;
    }
  }
});

// src/github/artifacts/ci-run.ts
init_define_builtScripts();
import { mkdir as mkdir2, rename, rm as rm2, stat } from "node:fs/promises";
import { join as join2 } from "node:path";

// src/model/refusal.ts
init_define_builtScripts();

// src/model/problems/baseline.ts
init_define_builtScripts();
var baselineTexts = {
  rerun_without_base: () => ({
    message: "gate.baseline.from is `rerun`, and no base is named whose candidates could be run",
    hint: "Name it with --policy-from, such as --policy-from origin/main; --baseline none runs without a comparison."
  }),
  rerun_setup_failed: (found) => ({
    message: `the base's candidate ${JSON.stringify(found.candidate)} can't be run for comparison: ${found.reason}`,
    hint: "A checkout of the base has its files and nothing else: `setup` must make the rest. Run it in a fresh clone to see what it lacks."
  }),
  rerun_stopped: ({ reason }) => ({
    message: `the base's run did not get to its end: ${reason}`,
    hint: "With --resume and the same --out it goes on from there, then this run does."
  }),
  rerun_dead: ({ task, candidate }) => ({
    message: `the base's candidate ${JSON.stringify(candidate)} failed in every case of ${task}: beside it whatever this change does would look like no loss`,
    hint: "samples.jsonl in the run directory's baseline/ says how it failed. A checkout of the base has its files and nothing else: `setup` must make the rest. Then run into a new --out."
  }),
  rerun_interrupted: () => ({
    message: "stopped while the base was run for comparison",
    hint: "Its results are kept: --resume with the same --out continues from there."
  })
};

// src/model/problems/calibrate.ts
init_define_builtScripts();

// src/model/number-words.ts
init_define_builtScripts();
function groupedDigits(value) {
  const [whole = "", fraction] = String(value).split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === void 0 ? groups : `${groups}.${fraction}`;
}
function plural(value, noun) {
  return value === 1 ? noun : `${noun}s`;
}

// src/model/problems/calibrate.ts
var calibrateTexts = {
  rule_beyond_reach: (found) => ({
    message: `${found.rule} asks to hold ${found.asked}, but ${caseWords(found.cases)} prove a loss only from about ${found.seen} on (4 times in 5${found.assumption === void 0 ? "" : `; ${found.assumption}`}); what lies between mostly passes as not proven`,
    hint: `${found.asked} would take about ${groupedDigits(found.needed)} cases; ${found.repeated === void 0 ? "" : `\`repeats: 5\` would come down to ${found.repeated} at best; `}\`${found.kind}: ${found.holds}\` is what is held now; \`must_pass\` holds single cases. \`regrade power\` has the table.`
  }),
  rule_cannot_prove: ({ rule, cases, clusters, comparisons, needed }) => ({
    message: `${rule}: ${caseWords(cases)}${clusters === null ? "" : ` in ${clusters} ${plural(clusters, "cluster")}`} can't prove a loss, however large${comparisons > 1 ? `, where ${comparisons} comparisons share alpha` : ""}: ${clusters === null ? "one that is seen" : "the rule"} is inconclusive`,
    hint: `It takes at least ${needed} ${clusters === null ? "cases" : "clusters"}; rules that need no proof are \`must_pass\`, \`min\` and \`prove: nothing\`.`
  }),
  rule_rarely_shown: (found) => ({
    message: `with ${caseWords(found.cases)} a \`prove: no_drop\` rule with \`${found.kind}: ${found.limit}\` passes an unchanged run ${oftenWords(found.chance)}; the others are inconclusive${found.blocks ? ", which fails the action's step by default" : ""}`,
    hint: `About ${groupedDigits(found.needed)} cases are needed for 80 %${found.repeated === void 0 ? "" : `, ${groupedDigits(found.repeated)} with \`repeats: 5\` at best`} (${found.assumption}). A wider ${found.kind} needs fewer, and \`prove: drop\`, the default, blocks only what is proven. 'regrade calibrate' measures it.`
  }),
  calibrate_one_suite: ({ paths }) => ({
    message: `calibrate takes one suite, or directories of finished runs; given were ${paths}`,
    hint: "Calibrate suites one by one, as in: regrade calibrate evals/suite.yaml"
  }),
  calibrate_idle_flag: ({ flag }) => ({
    message: `${flag} has no meaning beside finished runs: nothing is run`,
    hint: "Take it out, or name a suite to run."
  }),
  calibrate_too_few: ({ found }) => ({
    message: `${found === 1 ? "one run has" : "no runs have"} nothing to be compared with; calibration needs two at least, and five tell more`,
    hint: "Name more finished runs of the same suite, or the suite itself: regrade calibrate evals/suite.yaml --runs 5"
  }),
  calibrate_same_run: ({ id, directories }) => ({
    message: `${directories} hold the same run, ${id}`,
    hint: "A copy differs in nothing, and would make the gate look surer than it is. Name each run once."
  }),
  calibrate_unfinished: ({ directory: directory2, status }) => ({
    message: `the run in ${directory2} was stopped before its end (status ${status})`,
    hint: "Finish it with 'regrade run --resume --out', or leave it out."
  }),
  calibrate_other_input: (found) => ({
    message: `${found.one} and ${found.other} are not runs of the same suite: ${found.what} differ`,
    hint: "What differs between them is no noise. Run the same suite again, with the same candidates: regrade calibrate SUITE"
  }),
  calibrate_no_gate: ({ suite }) => ({
    message: `the suite ${suite} has \`gate: none\`: there is no rule to calibrate`,
    hint: "Declare gate.rules, or leave the gate out for the default rule."
  }),
  calibrate_out_taken: ({ directory: directory2, done }) => ({
    message: `${directory2} is there already`,
    hint: `Choose another --out, or judge what is there: regrade calibrate ${done}`
  }),
  calibrate_run_failed: (found) => ({
    message: `the run in ${found.directory} did not get to its end: ${found.reason}`,
    hint: `Mend that and start again${found.done === "" ? "" : `, or judge what is complete: regrade calibrate ${found.done}`}.`
  }),
  judge_label_bad: ({ why }) => ({
    message: `the label ${why}`,
    hint: 'A label is a line such as {"case_id": "q1", "label": 1}, with `task`, `candidate` and `repeat` where the run has several, and `labeler` where several people label; a CSV file has the same columns.'
  }),
  judge_labels_none: ({ path }) => ({
    message: `${path} holds no label`,
    hint: 'Write one a line, as in {"case_id": "q1", "label": 1}: about 100, of cases drawn by chance, tell much.'
  }),
  judge_labels_unjudged: ({ task, metric }) => ({
    message: `none of the labelled samples has a score of ${task}/${metric}: nothing can be compared`,
    hint: "Label samples that were scored; where several people are split evenly on a sample, it does not count."
  }),
  judge_write_idle: ({ why }) => ({
    message: `--write keeps what people's labels say of a judge, and ${why}`,
    hint: "As in: regrade calibrate RUN --judge labels.jsonl --write judge-calibration.json"
  }),
  judge_write_name: ({ path }) => ({
    message: `--write ${path}: a calibration is kept in a .json file`,
    hint: "Give it a name that ends in .json, and name it in the suite: judge_calibration: judge-calibration.json"
  }),
  judge_calibration_bad: () => ({
    message: "this is no calibration of a judge",
    hint: "Labels are JSON lines (.jsonl) or CSV; a calibration is the .json file that 'regrade calibrate RUN --judge labels.jsonl --write FILE' wrote."
  }),
  judge_calibration_task: (found) => ({
    message: `the calibration is of ${found.tasks.map((task) => `\`${task}\``).join(", ")}, which the suite does not have: its tasks are ${found.known.map((task) => `\`${task}\``).join(", ")}`,
    hint: "Calibrate a run of this suite: regrade calibrate RUN --judge labels.jsonl --write FILE"
  }),
  judge_calibration_void: ({ metric, what }) => ({
    message: `the calibration of ${metric} is void: ${what}`,
    hint: "People's labels say nothing of another judge: label samples of a run by this one, and calibrate again."
  }),
  judge_one_run: ({ paths }) => ({
    message: `--judge compares the scores of one finished run with labels; given were ${paths}`,
    hint: "Run the suite, and name its directory: regrade calibrate .regrade/runs/<run id> --judge labels.jsonl"
  }),
  power_drop_wide: ({ drop, widest, isShare }) => ({
    message: `a drop of ${drop} is wider than the range of any metric here, ${widest} at most: there is none to see`,
    hint: `Give a size above 0 and up to ${widest}${isShare ? "; 5 points are 0.05" : ""}.`
  }),
  power_nothing: ({ path }) => ({
    message: `nothing to reckon with in ${path}: none of its gated metrics is a mean that has scores or a range`,
    hint: "Declare a metric's range, or run the suite and ask for its run directory: regrade power .regrade/runs/<run id>"
  })
};
function oftenWords(chance) {
  if (chance === void 0) return "less often than 4 times in 5";
  const share = Math.round(100 * chance);
  return share < 1 ? "only in fewer than 1 of 100 tries" : `only in about ${share} of 100 tries`;
}
function caseWords(cases) {
  return `${groupedDigits(cases)} ${plural(cases, "case")}`;
}

// src/model/problems/candidate.ts
init_define_builtScripts();
var candidateTexts = {
  format_unchecked: ({ id }) => ({
    message: `the answers of ${id} are not checked against the schema that it is asked for: it has a keyword that Regrade does not know`,
    hint: "docs/graders.md lists the keywords of the grader json_schema, which checks them."
  }),
  agent_missing: (found) => ({
    message: `the agent ${found.agent} is not installed: there is no program '${found.program}' on the PATH`,
    hint: `Install it on the runner before this step: npm install --global ${found.package}.`
  }),
  fence_missing: ({ why }) => ({
    message: `this candidate is to run behind a fence, which can't be put up here: ${why}`,
    hint: "It needs Linux 6.2 or newer with Landlock turned on, on x86-64 or arm64, and Python with ctypes; `regrade doctor` tries it. With `fence: auto` the candidate runs without where there is none, and the run says so."
  }),
  fence_grant: (found) => ({
    message: `a fence can't leave '${found.path}' open: it would show the candidate ${found.holds}`,
    hint: `Name in 'inputs' and in '${found.kind}' only what the program itself needs: no data sets, suites, runs, baselines or files of git, nor folders and links that lead to them.`
  }),
  fence_without_inputs: ({ kind }) => ({
    message: `a ${kind} behind a fence needs 'inputs': it can read its own files and those that 'inputs' names, and no others`,
    hint: 'Name the files that the program reads: inputs: ["app.py", "lib/**"].'
  }),
  fence_open: ({ id, why }) => ({
    message: `${id} runs without a fence, and can read the answers: ${why}`,
    hint: "`fence: required` refuses to run it so; `regrade doctor` says what this machine has."
  }),
  agent_key_missing: (found) => ({
    message: `the agent ${found.agent} has no key: none of ${found.keys.join(", ")} is set`,
    hint: `Set one where Regrade is started (in a workflow: env: { ${found.name}: "\${{ secrets.${found.name} }}" }; pull requests from forks get no secrets), or name in 'env' the variables that it needs.`,
    missing: found.name
  }),
  agent_key: (found) => ({
    message: `${found.agent} can't do what '${found.key}' asks: ${found.why}`,
    hint: found.instead
  }),
  agent_conversation: ({ agent, key }) => ({
    message: `the agent ${agent} is given one prompt, and the task asks with \`${key}\``,
    hint: "Ask it with `prompt_template`. An agent calls its tools itself, and has them from `mcp_servers`."
  }),
  cassette_unreadable: ({ path }) => ({
    message: `${path} is no cassette here: this line has no key and value`,
    hint: "Delete the file, and record it again: `mode: record`."
  }),
  tool_server_unknown: ({
    tool,
    server,
    known: known2,
    nearest
  }) => ({
    message: `the tool ${tool} is of a server '${server}', and \`mcp_servers\` has none of that name`,
    hint: nearest === void 0 ? known2.length === 0 ? "Add the server to `mcp_servers`, or take the tool out." : `Name a tool of ${known2.join(", ")}.` : `Did you mean '${nearest}'?`
  }),
  server_key_idle: ({ key, why }) => ({
    message: `\`${key}\` has no meaning here: ${why}`,
    hint: "`env` belongs to a server with a `command`, `headers` and `type` to one with a `url`."
  }),
  skill_without_file: ({ path }) => ({
    message: `the skill '${path}' has no SKILL.md`,
    hint: "A skill is a folder with a file SKILL.md, which begins with its name and description."
  }),
  skill_twice: ({ name }) => ({
    message: `two skills have folders of the name '${name}'`,
    hint: "An agent knows a skill by its folder's name: rename one of them."
  }),
  workspace_not_folder: ({ path }) => ({
    message: `the workspace '${path}' is no folder`,
    hint: "Name the folder that an agent is to begin with."
  }),
  workspace_of_answers: ({ path }) => ({
    message: `the workspace holds the data set ${path}, which says what is right`,
    hint: "Keep the data set out of the folder that an agent is given."
  }),
  workspace_of_suite: ({ path }) => ({
    message: `the workspace '${path}' holds this suite, and with it what the answers are compared with`,
    hint: "Put the agent's files into a folder of their own, without the suite and its data."
  }),
  replay_key_idle: ({ key }) => ({
    message: `\`${key}\` has no meaning here`,
    hint: "`format` belongs to a `path` of trajectories; `model`, `output_field` and `id_field` to a `file` of recordings."
  }),
  path_is_file: ({ path }) => ({
    message: `'${path}' is a file`,
    hint: "Name the folder that holds it."
  }),
  trajectories_none: ({ path }) => ({
    message: `the folder '${path}' holds no trajectory`,
    hint: "Its files, and those of folders in it, end in .json and are of ATIF 1."
  }),
  trajectory_unreadable: ({ path, reason }) => ({
    message: `'${path}' is no trajectory of ATIF: ${reason}`,
    hint: "Put the trajectories into a folder of their own."
  }),
  replay_bad_line: ({ reason }) => ({
    message: `the recording can't be read: ${reason}`
  }),
  replay_field_missing: ({ field, option }) => ({
    message: `the recording has no '${field}'`,
    hint: `Each line is an object with the case's id and the output; other names of theirs are told with ${option}.`
  }),
  replay_field_kind: (found) => ({
    message: `'${found.field}' of the recording is ${found.found}; it must be ${found.wanted}`
  }),
  replay_duplicate: ({ caseId, firstLine }) => ({
    message: `a second recording of case '${caseId}': line ${firstLine} has it too, and only one can be replayed`,
    hint: "Drop one of them, or tell repeats apart with 'repeat': 0, 1, 2, \u2026"
  }),
  replay_several_models: ({ models }) => ({
    message: `the file holds recordings of several models: ${models}`,
    hint: "Name the one to replay: replay: {file: \u2026, model: \u2026}."
  }),
  replay_model_missing: (found) => ({
    message: `the file holds no recording of the model '${found.model}'; it has ${found.known}`,
    ...found.nearest === void 0 ? {} : { hint: `Did you mean '${found.nearest}'?` }
  }),
  replay_foreign: (found) => ({
    message: `the recording answers no case: its ids are such as ${found.recorded.join(", ")}, and those of the cases such as ${found.cases.join(", ")}`,
    hint: "Name the field of its lines that has the case's id with `id_field`, or record the answers to these cases."
  }),
  replay_empty: () => ({
    message: "the file holds no recordings",
    hint: 'Put one object a line in it: {"case_id": "\u2026", "output_text": "\u2026"}.'
  }),
  program_missing: ({ program, relative }) => ({
    message: `there is no program '${program}'${relative ? "" : " on the PATH"}`,
    hint: relative ? "A command runs in the manifest's folder: check the path from there." : "Install it on the runner before this step, or give its path from the manifest's folder."
  }),
  program_not_executable: ({ program }) => ({
    message: `the program '${program}' may not be executed`,
    hint: `Make it executable (chmod +x ${program}, git update-index --chmod=+x ${program}), or name its interpreter first: [python3, ${program}].`
  }),
  env_missing: ({ name }) => ({
    message: `the candidate asks for the environment variable ${name}, which is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${name}: "\${{ secrets.${name} }}" }; pull requests from forks get no secrets), or leave it out of 'env'.`,
    missing: name
  }),
  env_refused: ({ name }) => ({
    message: `the environment variable ${name} belongs to the runner and is never handed to a candidate`,
    hint: "With it a candidate could act as the workflow. Give it a token of its own, under another name."
  }),
  inputs_unmatched: ({ glob }) => ({
    message: `'${glob}' matches no file`,
    hint: "'inputs' names the files that the command's answers depend on: from the manifest's folder, inside the repository."
  }),
  inputs_outside: ({ path }) => ({
    message: `'inputs' matches '${path}', which leads out of the repository`,
    hint: "Answers that depend on a file out there can't be told from older ones. Narrow the glob, or put the file itself in the place of the link."
  }),
  instructions_target: ({ field }) => ({
    message: `\`instructions\` tell the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of them."
  }),
  instructions_row: () => ({
    message: "`instructions` tell the candidate the whole row",
    hint: "Name the fields that it may see instead of {{row}}."
  }),
  inputs_unnamed: ({ path }) => ({
    message: `'inputs' matches '${path}', whose name is not UTF-8 (its bytes that are none stand as \uFFFD)`,
    hint: "It can't be opened by that name, so that a change of it would not be seen. Rename it, or narrow the glob."
  }),
  pass_target: ({ field }) => ({
    message: `'pass' hands the candidate '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'pass'."
  }),
  request_target: ({ field }) => ({
    message: `the request tells the app '${field}', which the target is made of`,
    hint: "A candidate that is told the answer can't be judged. Leave the field out of 'url', 'headers', 'body' and 'pass'."
  }),
  answer_target: ({ field }) => ({
    message: `'answer' shows '${field}', which the target is made of: it would always be right`,
    hint: "Answer with a fixed text or with other fields. To see how a suite judges, give the rows a field of answers that the target does not use."
  })
};

// src/model/problems/command.ts
init_define_builtScripts();
var commandTexts = {
  no_suite: ({ patterns }) => ({
    message: `no suite manifest at ${patterns}`,
    hint: "Name the manifest's path, as in: regrade run evals/suite.yaml"
  }),
  same_name: ({ name, paths }) => ({
    message: `two suites are called '${name}': ${paths}`,
    hint: "Each suite has a folder of its own in --out, named after it: give one of them another 'name'."
  }),
  glob_refused: ({ glob, reason }) => ({
    message: `the glob '${glob}' can't be used: ${reason}`,
    hint: "Write several shorter globs instead."
  }),
  glob_too_many_folders: ({ glob, folders }) => ({
    message: `the glob '${glob}' leads into more than ${folders} folders`,
    hint: "Begin it with the folder that is meant, and look for links that lead into each other."
  }),
  selects_nothing: ({
    flag,
    glob,
    known: known2
  }) => ({
    message: `${flag} ${glob} selects nothing`,
    hint: `There is: ${known2}.`
  }),
  slice_unreadable: ({ text }) => ({
    message: `--slice ${text} is no slice`,
    hint: "Write FIELD=VALUE, as in: --slice kind=hard"
  }),
  filter_unknown: ({ flag, name, nearest, known: known2 }) => ({
    message: `${flag}${flag.endsWith("=") ? "" : " "}${name}: the run has no such ${kindOf(flag)}`,
    hint: nearest === void 0 ? known2.length === 0 ? "It has none." : `It has ${known2.join(", ")}.` : `Did you mean '${nearest}'?`
  }),
  case_selects_nothing: (found) => ({
    message: `--case ${found.glob} matches no case of the suite`,
    hint: found.nearest === void 0 ? `Give an id, or a glob of ids, as ${found.first ?? "run.json"} is one.` : `Did you mean ${found.nearest}?`
  }),
  where_malformed: ({ where }) => ({
    message: `--where ${where} is not FIELD=GLOB`,
    hint: "Name a field of the rows and the value that it must have: --where kind=hard, --where 'tags=smoke*'."
  }),
  where_selects_nothing: ({
    where,
    globs
  }) => ({
    message: `no case of the suite has a row with ${where.join(", ")}${globs.length === 0 ? "" : " and such an id"}`,
    hint: "Values are compared whole, letter for letter; * stands for any text."
  }),
  case_unknown: (found) => {
    const of = [
      ...found.task === void 0 ? [] : [`in the task ${found.task}`],
      ...found.candidate === void 0 ? [] : [`of the candidate ${found.candidate}`]
    ];
    const like = found.nearest === void 0 ? "" : `Did you mean ${found.nearest}? `;
    return {
      message: [`the run in ${found.directory} has no case ${found.caseId}`, ...of].join(" "),
      hint: found.isThere ? "Leave --task and --candidate out to see where it is." : `${like}The ids are in its scores.jsonl (case_id).`
    };
  },
  ci_run_no_token: () => ({
    message: "a CI run's artifact can't be fetched without a token: neither GITHUB_TOKEN nor GH_TOKEN is set",
    hint: "For example: GH_TOKEN=$(gh auth token) regrade show RUN CASE. It needs to read Actions."
  }),
  ci_run_no_repository: () => ({
    message: "it is not known which repository the CI run is of",
    hint: "Name it with --repository OWNER/NAME, or start Regrade in a clone of it."
  }),
  ci_run_no_artifact: ({ runId, found }) => ({
    message: `the CI run ${runId} has no artifact of Regrade's${found.length === 0 ? "" : ` that is still kept: ${found.join(", ")}`}`,
    hint: "Artifacts are kept for 'retention-days' (14). Is it the number in the address of the workflow run?"
  }),
  ci_run_failed: ({ runId, reason }) => ({
    message: `the artifact of the CI run ${runId} can't be fetched: ${reason}`,
    hint: "Download it from the run's page, unzip it, and name the folder instead of the number."
  })
};
function kindOf(flag) {
  if (flag.endsWith("=")) return "slice";
  return flag === "--slice" ? "field of slices" : flag.slice(2);
}

// src/model/problems/dataset.ts
init_define_builtScripts();
var datasetTexts = {
  dataset_bad_row: ({ reason }) => ({
    message: `the row can't be read: ${reason}`
  }),
  dataset_row_not_object: ({ found }) => ({
    message: `the row is ${found}; each line must be an object`,
    hint: 'Give the values names: {"question": "2+2?", "answer": "4"}; of a file that is one list of objects write format: json.'
  }),
  dataset_no_row_read: ({ rows, first }) => ({
    message: `${rows} rows, and not one of them can be used; the first: ${first}`,
    hint: "The ending of the name tells the format: name the file .jsonl, .json, .csv or .tsv, or write format: jsonl, json or csv beside its path."
  }),
  cluster_field_unknown: ({ field, known: known2 }) => ({
    message: `\`cluster_by: ${field}\` is no field of the dataset: every case counts as independent`,
    hint: `Its fields are ${known2.join(", ")}.`
  }),
  slice_field_unknown: ({ field, known: known2, nearest }) => ({
    message: `\`slices\` names ${JSON.stringify(field)}, which is no field of the dataset: all cases are in one slice, without a value`,
    hint: nearest === void 0 ? `Its fields are ${known2.join(", ")}.` : `Did you mean '${nearest}'?`
  }),
  dataset_header: ({ reason }) => ({
    message: `the header can't be used: ${reason}`,
    hint: "The first row of a CSV file names its columns, each once."
  }),
  dataset_ragged: ({ found, expected }) => ({
    message: `the row has ${found} ${plural(found, "field")}, the header has ${expected}`,
    hint: "Put a field that holds a comma or a line break in double quotes."
  }),
  dataset_id_missing: ({ field }) => ({
    message: `the row has no '${field}', which is the case's id`,
    hint: `Give every row a '${field}', name another field with id_field, or set id_field: null to make ids from the rows' content.`
  }),
  dataset_id_kind: ({ field, found }) => ({
    message: `the case's id '${field}' is ${found}; it must be a text that is not empty, or a number`,
    hint: "Name another field with id_field, or set id_field: null to make ids from the rows' content."
  }),
  dataset_id_duplicate: (found) => ({
    message: `the case id '${found.id}' (field '${found.field}') is taken: line ${found.firstLine} has it too`,
    hint: "An id names one case from run to run. Mend the data, name another field with id_field, or set id_field: null."
  }),
  dataset_token: ({ key }) => ({
    message: `\`${key}\` is in the manifest, which everybody with access to the repository can read`,
    hint: "Remove it, and revoke it if it was committed. Set HF_TOKEN where Regrade runs; in a workflow: env: { HF_TOKEN: ${{ secrets.HF_TOKEN }} }."
  }),
  dataset_empty: () => ({
    message: "the file is empty",
    hint: "Put a row for each case in it."
  }),
  dataset_no_rows: () => ({
    message: "the file has no rows",
    hint: "Put a row for each case in it: without cases nothing is measured."
  }),
  dataset_more_problems: ({ count: count2 }) => ({
    message: `and ${count2} more ${plural(count2, "problem")} in this file`,
    more: count2
  }),
  dataset_changed: () => ({
    message: "the file was changed while the run was reading it",
    hint: "Run again when nothing writes to it."
  }),
  fewshot_without_target: () => ({
    message: "the examples show no answer: `example_template` has {{target}}, and nothing says what that is",
    hint: "Add a target_template to the task or to `fewshot`, or an example_template without {{target}}."
  }),
  fewshot_joined: ({ key }) => ({
    message: `\`${key}\` joins texts, and with \`messages_template\` each example is two messages`,
    hint: "Leave it out: an example's question is the user's message, its target the assistant's."
  }),
  fewshot_answer_missing: () => ({
    message: "the examples have no answer for the assistant's message",
    hint: "Add a target_template to the task or to `fewshot`."
  }),
  fewshot_question_missing: () => ({
    message: "a task with turns has no one question that an example could ask",
    hint: "Add a prompt_template to `fewshot`: it is the user's message of each example."
  }),
  messages_bad_row: ({ caseId, row, reason }) => ({
    message: `the case '${caseId}' (row ${row}) can't be asked: ${reason}`
  }),
  messages_changed_row: ({ reason }) => ({
    message: `a row can't be asked any more: ${reason}`,
    hint: "Run again when nothing writes to the data."
  }),
  messages_more_rows: ({ count: count2 }) => ({
    message: `and ${count2} more ${count2 === 1 ? "row that" : "rows that"} can't be asked`,
    more: count2,
    hint: "Mend the data, or have a preprocessor drop or complete such rows."
  }),
  template_list_of_messages: ({ field }) => ({
    message: `'{{${field}}}' is a list of messages in the first row: in a prompt it is one text of JSON`,
    hint: `To ask it as messages, write messages_template: "{{${field}}}" instead of prompt_template.`
  }),
  fewshot_too_many: ({ count: count2, rows, isOwn }) => ({
    message: isOwn ? `${count2} examples are to go before each prompt, and beside the case that is asked the dataset has ${rows} different ${plural(rows, "row")}` : `${count2} examples are to go before each prompt, and their dataset has ${rows} ${plural(rows, "row")}`,
    hint: rows === 0 ? "Name a dataset with more rows under `fewshot.dataset`." : `Ask for ${rows} or fewer, or name a dataset with more rows under \`fewshot.dataset\`.`
  }),
  template_unknown_field: ({ field, nearest, known: known2 }) => ({
    message: `the template reads '{{${field}}}', and no row has such a field: it renders as nothing`,
    hint: unknownFieldHint({ field, nearest, known: known2 })
  }),
  template_field_empty: ({ field, count: count2, rows, first }) => ({
    message: `'${field}' is missing or empty in ${count2} of ${rows} ${plural(rows, "row")}: the template renders it as nothing there; the first is row ${first.row} (case ${first.id})`,
    hint: "Fill it in, or leave these rows out. Where nothing is meant, write a word for it, such as (none)."
  }),
  target_not_a_label: ({ id, found, count: count2, read, nearest: meant }) => ({
    message: `the target of ${count2} of ${read} ${plural(read, "case")} is none of the labels of \`output_extraction\`, so that no answer can equal it; the first is ${JSON.stringify(found)} (case ${id})`,
    hint: meant === void 0 ? "Add the label, or correct the data." : `Did you mean ${JSON.stringify(meant)}? Correct the data, or add the label.`
  }),
  template_choices_missing: ({ name }) => ({
    message: `the template reads '{{${name}}}', and neither the task nor any row has \`choices\`: it renders as nothing`,
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list."
  }),
  grader_choices_missing: () => ({
    message: "the grader choice has nothing to choose from: neither the task nor any row has `choices`",
    hint: "Declare them in the task, such as choices: [A, B, C, D], or give each row a field `choices` with a list."
  }),
  grader_field_unknown: ({ grader, field, nearest, known: known2 }) => ({
    message: `the grader ${grader} reads the row's field '${field}', and no row has such a field`,
    hint: nearest === void 0 ? fieldsOfRows(known2) : `Did you mean '${nearest}'?`
  }),
  handed_field_unknown: ({ field, nearest, known: known2 }) => ({
    message: `the candidate is to be given the field '${field}', and no row has such a field: it is given nothing`,
    hint: nearest === void 0 ? fieldsOfRows(known2) : `Did you mean '${nearest}'?`
  }),
  template_empty: ({ key }) => ({
    message: `\`${key}\` is empty: ${key === "target_template" ? "every answer is compared with nothing" : "the candidate is asked nothing"}`,
    hint: "Write a text with fields of a row, such as {{question}}."
  }),
  template_unclosed: ({ found }) => ({
    message: `the template has '${found}' without closing braces: it is sent as it stands`,
    hint: "A field is written {{field}}."
  }),
  braces_single: ({ found, field }) => ({
    message: `the template has no field: '${found}' is sent as it stands`,
    hint: `A field is written {{${field}}}.`
  }),
  template_hidden_field: ({ field }) => ({
    message: `'{{${field}}}' has a meaning of its own in templates, so the rows' field '${field}' can't be read with it`,
    hint: "Rename the field in the data to read it alone."
  }),
  template_shows_target: ({ fields }) => ({
    message: `the prompt shows the candidate the whole row, with what the target is made of: ${fields}`,
    hint: "Name the fields that the candidate may see instead of {{row}}."
  })
};
function unknownFieldHint({ field, nearest, known: known2 }) {
  if (nearest !== void 0) return `Did you mean '{{${nearest}}}'?`;
  if (/\.(?:txt|md|j2|jinja2?|tpl|prompt|ya?ml|json)$/i.test(field))
    return "A template reads fields of the row, never a file: paste the file's text into it.";
  return fieldsOfRows(known2);
}
function fieldsOfRows(known2) {
  if (known2.length === 0) return "The rows have no field at all.";
  const shown = known2.slice(0, 20).join(", ");
  return `The rows have ${shown}${known2.length > 20 ? ", \u2026" : ""}.`;
}

// src/model/problems/extraction.ts
init_define_builtScripts();
var extractionTexts = {
  regex_invalid: ({ pattern, reason }) => ({
    message: `the regular expression ${shortened(pattern)} can't be used: ${reason}`,
    hint: "Patterns are those of Python's re module: https://docs.python.org/3/library/re.html#regular-expression-syntax"
  }),
  regex_explodes: ({ pattern }) => ({
    message: `the regular expression ${shortened(pattern)} takes minutes on a short text that is made for it, and such an answer stays ungraded`,
    hint: "A repetition within a repetition, such as (a+)+, does that where both can match the same letters: write it with one."
  }),
  decimal_differs: ({ decimal }) => ({
    message: "`output_extraction` and the grader `numeric` read numbers in two ways: one has another `decimal` than the other",
    hint: `Write the same for both: { type: numeric, decimal: ${JSON.stringify(decimal)} }, or the other way round.`
  }),
  label_repeated: ({ label }) => ({
    message: `the label ${JSON.stringify(label)} is written here twice, if case is ignored`,
    hint: "Keep one of them, or set case_sensitive: true."
  }),
  labels_too_many: (limit) => ({
    message: `'labels' has more than ${limit.maxLabels} labels or ${limit.maxCharacters} characters`,
    hint: "With so many labels, compare the whole answer instead: no extraction, and exact_match as the grader."
  })
};
function shortened(pattern) {
  const quoted4 = JSON.stringify(pattern);
  return quoted4.length > 100 ? `${quoted4.slice(0, 99)}\u2026` : quoted4;
}

// src/model/problems/foreign.ts
init_define_builtScripts();
var foreignTexts = {
  import_samples_foreign: ({ path }) => ({
    message: `--samples belongs to exports of the hosted product, and ${path} is another tool's suite`,
    hint: "Results of another tool are read by `regrade run --results FILE --format TOOL`."
  }),
  manifest_of_other_tool: (found) => ({
    message: `this is ${found.kind === "results" ? "a file of results" : "a configuration"} of ${found.tool}, and no manifest`,
    hint: found.kind === "results" ? `Judge it with \`regrade run --results FILE --format ${found.format}\` (docs/results/${found.format}.md).` : `Let ${found.tool} run it, and judge the results that it writes: \`regrade run --results FILE --format ${found.format}\` (docs/results/${found.format}.md). Or let \`regrade init\` write a manifest.`
  }),
  uses_other_key: ({ key, own }) => ({
    message: `\`${key}\` can't stand beside \`uses\`: the tasks are those of the file that it names`,
    hint: `Beside \`uses\` there may be ${own.join(", ")}. \`regrade import FILE\` writes the whole manifest out.`
  }),
  uses_unusable: ({ reason }) => ({
    message: `the file that \`uses\` names can't be used: ${reason}`,
    hint: "Name the suite of another tool, such as eval.yaml, by its path from this file's folder."
  }),
  uses_unknown_tool: ({ path }) => ({
    message: `${path} is no suite of a tool that is known here`,
    hint: "Known are the files of waza (eval.yaml), k-eval (config.yaml) and SyGra (graph_config.yaml). Is a key of the file misspelt?"
  })
};

// src/model/problems/gate.ts
init_define_builtScripts();
var gateTexts = {
  rule_metric_unknown: ({ metric, known: known2 }) => ({
    message: `the rule's metric ${JSON.stringify(metric)} matches no metric of this suite`,
    hint: `The suite declares ${known2.length === 0 ? "no metric" : known2.join(", ")}; every task has latency_seconds, input_tokens, output_tokens and usd.`
  }),
  rule_slice_unknown: ({ slice, known: known2 }) => ({
    message: `the rule's slice ${JSON.stringify(slice)} names no field that its tasks are sliced by`,
    hint: `Write field=value, such as ${known2[0] ?? "language"}=*. ${known2.length === 0 ? "Its tasks declare no `slices`." : `Its tasks declare slices: ${known2.join(", ")}.`}`
  }),
  rule_slice_empty: ({ slice, task, nearest, some }) => ({
    message: `no case of the task ${JSON.stringify(task)} is in the rule's slice ${JSON.stringify(slice)}, so the rule is always missed`,
    hint: nearest === void 0 ? examples("Its slices are", some) : `Did you mean '${nearest}'?`
  }),
  must_pass_unknown: ({ name, task, isGlob, nearest, some }) => ({
    message: `\`must_pass\`: no case of the task ${JSON.stringify(task)} ${isGlob ? "matches" : "has the id"} ${JSON.stringify(name)}, so the rule is always missed`,
    hint: nearest === void 0 ? examples("Its ids are", some) : `Did you mean '${nearest}'?`
  }),
  min_cases_unreachable: ({ task, asked, cases, rows }) => ({
    message: `\`min_cases: ${asked}\` is more than the ${cases} ${plural(cases, "case")} that a run of the task ${JSON.stringify(task)} has: each run ends with an error`,
    hint: cases < rows ? `Its data set has ${rows} rows, of which \`max_samples\` takes ${cases}.` : "Add cases, or ask for fewer."
  }),
  rule_must_pass_limit: ({ metric }) => ({
    message: `\`must_pass\` does not know what passes: ${metric} has no range`,
    hint: "Add `min` (or `max` where lower is better) to the rule, or give the metric a range."
  }),
  rule_no_room: ({ key }) => ({
    message: `\`${key}: 0\` beside prove: no_drop can never be shown: no number of cases proves a difference of nothing`,
    hint: "Give the loss that would not matter, such as 0.02."
  }),
  rule_candidate_unknown: ({ candidate, known: known2 }) => ({
    message: `the rule's candidate ${JSON.stringify(candidate)} matches no candidate of this suite`,
    hint: `The suite declares ${known2.join(", ")}.`
  }),
  judge_against_missing: ({
    against,
    names
  }) => ({
    message: `the judge compares with the candidate ${JSON.stringify(against)}, and it needs another one beside it; asked are ${names.join(", ")}`,
    hint: "`against` is the name of one candidate of this run, and at least one more is compared with it: don't leave either out by --candidate."
  }),
  judge_against_idle: ({ keys }) => ({
    message: `a judge with \`against\` names the better of two answers: ${keys.join(", ")} means nothing to it`,
    hint: "Remove what it does not read, or `against`."
  }),
  rule_against_unknown: ({ candidate, known: known2 }) => ({
    message: `the rule is against ${JSON.stringify(candidate)}, which is no candidate of this suite`,
    hint: `\`against\` is the name of one candidate, no glob. The suite declares ${known2.join(", ")}.`
  }),
  rule_against_itself: ({ candidate, known: known2 }) => ({
    message: `the rule compares ${JSON.stringify(candidate)} with itself: it covers no other candidate`,
    hint: `Name another one in \`candidate\` or \`against\`. The suite declares ${known2.join(", ")}.`
  }),
  rule_against_idle: ({ kind }) => ({
    message: `\`against\` has no meaning beside \`${kind}\`, which compares nothing`,
    hint: "It belongs to max_drop or max_rise: the two candidates are compared case by case. Take it out."
  }),
  rule_direction: ({ kind, metric }) => ({
    message: `\`${kind}\` guards nothing here: ${kind === "max_drop" ? "lower" : "higher"} is better in ${metric}`,
    hint: `Write ${kind === "max_drop" ? "max_rise" : "max_drop"}, or correct the metric's higher_is_better.`
  }),
  rule_metric_not_aggregated: ({ metric }) => ({
    message: `${metric} has aggregation: none, so it has no value that a rule could judge`,
    hint: "Give the metric aggregation: mean, or narrow the rule's metric."
  }),
  rule_outside_range: ({ kind, value, metric, range }) => ({
    message: `\`${kind}: ${value}\` lies outside the range [${range.join(", ")}] of ${metric}`,
    hint: "Choose a value inside the range, or correct the range."
  }),
  rule_beyond_span: ({ kind, value, metric, range }) => ({
    message: `\`${kind}: ${value}\` never blocks: ${metric} lies between ${range.join(" and ")}, so no ${kind === "max_drop" ? "drop" : "rise"} can be as large`,
    hint: range[0] === 0 && range[1] === 1 ? `Write ${value <= 100 ? value / 100 : 0.02} for ${value <= 100 ? value : 2} percentage points.` : "Write it in the metric's own unit, or correct the range."
  }),
  rule_key_idle: ({ key, kind }) => ({
    message: `\`${key}\` has no meaning beside ${kind}`,
    hint: key === "slice" ? "The rule names its cases itself. Take it out." : "It belongs to a proof against a baseline (max_drop or max_rise without prove: nothing). Take it out."
  }),
  rule_without_baseline_idle: ({ kind }) => ({
    message: `\`without_baseline\` means nothing beside \`${kind}\`: it belongs to \`min\` and \`max\``,
    hint: "Leave it out."
  }),
  rule_always_idle: ({ kind }) => ({
    message: `\`always\` has no meaning beside \`${kind}\``,
    hint: "It belongs to `must_pass`: whether a change answers for cases too that fell short before it. Take it out."
  }),
  baseline_search_idle: ({ key }) => ({
    message: `\`${key}\` has no meaning beside from: rerun: that baseline is made in the same job`,
    hint: "Take it out, or write from: auto."
  }),
  task_ungated: ({ task, metric }) => ({
    message: `nothing gates the task ${JSON.stringify(task)}: the default rule is for a first metric that is a mean with the range [0, 1], and ${JSON.stringify(metric.id)} has ${lackOf(metric)}`,
    hint: `${metric.range === null && metric.aggregation === "mean" ? `Declare metrics: [{ id: ${metric.id}, range: [0, 1] }] if its scores lie there, or write` : "Write"} \`gate.rules\`; gate: none if nothing is to be judged.`
  })
};
function examples(begin, some) {
  return some.length === 0 ? "It has none." : `${begin} such as ${some.join(", ")}.`;
}
function lackOf({ aggregation, range }) {
  if (aggregation !== "mean") return `aggregation: ${aggregation}`;
  return range === null ? "no range" : `the range [${range.join(", ")}]`;
}

// src/model/problems/grader.ts
init_define_builtScripts();

// src/model/definition/metric.ts
init_define_builtScripts();

// src/model/definition/aggregations.ts
init_define_builtScripts();
var keeping = { keepsRange: true, needsTwo: false };
var table = {
  mean: { arithmetic: { kind: "mean" }, ...keeping },
  median: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p50: { arithmetic: { kind: "quantile", p: 0.5 }, ...keeping },
  p90: { arithmetic: { kind: "quantile", p: 0.9 }, ...keeping },
  p95: { arithmetic: { kind: "quantile", p: 0.95 }, ...keeping },
  sum: { arithmetic: { kind: "sum" }, keepsRange: false, needsTwo: false },
  stddev: { arithmetic: { kind: "stddev" }, keepsRange: false, needsTwo: true }
};

// src/model/definition/metric.ts
var sampleMetricIds = [
  "latency_seconds",
  "input_tokens",
  "output_tokens",
  "usd",
  "agent_turns",
  "agent_tool_calls"
];
var descriptions = {
  latency_seconds: "Seconds to the answer; of one from the cache, what it took when it was given.",
  input_tokens: "Tokens of the prompt.",
  output_tokens: "Tokens of the answer, reasoning included.",
  usd: "US dollars, where the price is known.",
  agent_turns: "Turns of an agent: answers of its model, calls of tools among them.",
  agent_tool_calls: "Calls of tools by an agent."
};
var sampleMetrics = sampleMetricIds.map((id) => ({
  id,
  aggregation: "mean",
  higher_is_better: false,
  range: null,
  scale: "graded",
  description: descriptions[id]
}));
var known = new Set(sampleMetricIds);
function isMetricId(id) {
  return /^[A-Za-z0-9_.-]+$/.test(id);
}

// src/model/problems/grader.ts
var graderTexts = {
  grader_uncounted: ({ name }) => ({
    message: `the grader ${JSON.stringify(name)} asks a model for every sample, and \`metrics\` has none of its scores: they count in no figure`,
    hint: `Add { id: ${name} } to \`metrics\`, or leave the grader out.`
  }),
  row_checks_none: ({ field }) => ({
    message: `the row has no checks in \`${field}\``,
    hint: 'Without a check a case can\'t be judged: write [{"type": "contains", "target": "\u2026"}], or give all rows checks by the grader\'s `also`.'
  }),
  row_checks_no_json: ({ field, reason }) => ({
    message: `the checks in \`${field}\` are text that is not valid JSON: ${reason}`,
    hint: 'A column of a CSV file holds a list as JSON: [{"type": "contains", "target": "\u2026"}].'
  }),
  row_check_name_taken: ({ name }) => ({
    message: `two checks of this row are called ${JSON.stringify(name)}`,
    hint: "Give each a `name` of its own: its score is the metric of that name."
  }),
  row_check_file: ({ type, option }) => ({
    message: `the check ${type} names a file in \`${option}\`, and a check reads none`,
    hint: `Write the content of the file in its place.`
  }),
  row_check_options: ({ type, reason }) => ({
    message: `the check ${type} can't be used: ${reason}`,
    hint: `Correct its options; docs/graders.md lists those of ${type}.`
  }),
  row_check_target: ({ type }) => ({
    message: `the check ${type} has nothing to compare the answer with`,
    hint: "Give it a `target`, or the task a `target_template`."
  }),
  extracted_field_unknown: ({ field, known: known2, nearest }) => ({
    message: known2.length === 0 ? `found ${JSON.stringify(field)}, but the task's \`output_extraction\` has no \`fields\`` : `found ${JSON.stringify(field)}, which is none of the fields of \`output_extraction\`: ${known2.join(", ")}`,
    hint: nearest === void 0 ? "Name the part of the answer: output_extraction: { type: json, fields: { answer: /answer } }." : `Did you mean ${nearest}?`
  }),
  judge_has_no_rubric: () => ({
    message: "the judge has neither a `rubric` nor `scales` to judge by",
    hint: "Write what to judge by as `rubric`, or name scales: scales: [factual_adherence, completeness]."
  }),
  judge_key_idle: ({ key, scales }) => ({
    message: scales ? `\`${key}\` does nothing beside \`scales\`: a judge gives a verdict off a menu, or scores on scales` : `\`${key}\` does nothing without \`scales\``,
    hint: `Remove \`${key}\`, or ${scales ? "use two graders in `graders`" : "give the judge `scales`"}.`
  }),
  judge_scale_taken: ({ id, by }) => ({
    message: `a scale can't be called ${JSON.stringify(id)}: ${by}`,
    hint: "Give it another `id`: it names the metric, and with _reasoning after it the judge's reason."
  }),
  grader_file_unreadable: ({ file, reason }) => ({
    message: `can't read the grader's file ${file}: ${reason}`,
    hint: "Check grader.file; it is relative to the manifest."
  }),
  grader_syntax: ({ reason, text }) => ({
    message: `the grader has a syntax error: ${reason}${text === void 0 ? "" : `
    ${text.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file."
  }),
  grader_import_failed: ({ reason, traceback }) => ({
    message: `the grader fails while it is imported: ${reason}${indented(traceback)}`,
    hint: "Its top level must run without an error, in the folder of the grader and without the job's environment variables."
  }),
  grader_module_missing: ({ reason, traceback }) => ({
    message: `the grader imports a missing module: ${reason}${indented(traceback)}`,
    hint: "Put it beside the grader, or install it in the workflow before Regrade, for the interpreter that Regrade uses (--python, the action's input 'python')."
  }),
  grader_load_timeout: ({ reason }) => ({
    message: `the grader can't be imported: ${reason}`,
    hint: "Move slow work out of its top level, into a function that grade calls when it needs it."
  }),
  grader_no_grade: ({ functions }) => ({
    message: functions === "" ? "the grader defines no function grade" : `the grader defines no function grade; it defines ${functions}`,
    hint: "Define grade(sample, item) at its top level. It returns a number, or {'scores': {'<metric>': number}}."
  }),
  grader_batch_function: () => ({
    message: "the grader defines grade_batch, which the contract 'batch' calls, and no function grade",
    hint: "Write contract: batch (execution: aggregate for model_backed), or define grade(sample, item), which scores one sample."
  }),
  grader_no_grade_batch: ({ functions }) => ({
    message: `the grader defines no function grade_batch, which is called once for all samples of a task${functions === "" ? "" : `; it defines ${functions}`}`,
    hint: "Define grade_batch(samples) at its top level, or write contract: sample (execution: per_sample for model_backed) for a function grade."
  }),
  grader_sandbox: ({ reason }) => ({
    message: `the grader was not started, as it can't be shut in as it must be: ${reason}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox auto runs graders with those available."
  }),
  grader_not_callable: ({ found }) => ({
    message: `grade is not a function in the grader: it is of type ${found}`,
    hint: "Define grade(sample, item) at its top level."
  }),
  grader_signature: ({ signature }) => ({
    message: `grade${signature} can't be called as Regrade calls it`,
    hint: "Define grade(sample, item) or grade(sample, item, ctx)."
  }),
  grader_options: ({ grader, reason }) => ({
    message: `the built-in grader ${grader} does not take these options: ${reason}`,
    hint: `Correct them in the task's \`grader\`; docs/manifest.md lists the options of ${grader}.`
  }),
  grader_program: ({ grader, reason }) => ({
    message: `the grader ${grader} can't be used: ${reason}`,
    hint: 'docs/graders.md, "A program of any language", says what a program can read and how it is found.'
  }),
  grader_died: ({ reason }) => ({
    message: `the grader ended its own process while it was imported: ${reason}`,
    hint: "Its top level must not call os._exit, crash, or write to open file descriptors."
  }),
  dry_call_invalid: ({ message }) => ({
    message: `called for the first row with the target as the answer, ${message}`,
    hint: "Such a result is invalid and counts as 0: return a finite number, or {'scores': {'<metric>': number}}."
  }),
  dry_call_key: ({ key, nearest }) => ({
    message: `called for the first row, the grader reads ${JSON.stringify(key)}, which is in neither the sample nor the item`,
    hint: `Did you mean ${JSON.stringify(nearest)}?`
  }),
  dry_call_attribute: ({ key }) => ({
    message: `called for the first row, the grader reads .${key}, and sample and item are dicts`,
    hint: `Write ["${key}"].`
  }),
  dry_call_range: ({ metric, score, least, most }) => ({
    message: `called for the first row with the target as the answer, the grader gives ${score} as ${JSON.stringify(metric)}, outside its range [${least}, ${most}]`,
    hint: "Such a score is invalid: give the metric the range that its scores have, or return others."
  }),
  dry_call_metric: ({ given, missing }) => ({
    message: `called for the first row, the grader gives ${quoted(given)} and not the task's metric ${quoted(missing)}`,
    hint: isMetricId(given[0] ?? "") ? `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return ${quoted(missing)}.` : `Return ${quoted(missing)}: an id has letters, digits, _, . and - alone.`
  }),
  dry_call_unmeasured: ({ given }) => ({
    message: `called for the first row, grade_batch gives its samples ${quoted(given)} and returns no metric: nothing is measured`,
    hint: `Declare metrics: [{ id: ${given[0] ?? ""}, range: [0, 1] }], or return {"metrics": {\u2026}} too.`
  }),
  helper_model_missing: ({ helper, key }) => ({
    message: `the grader calls ctx.${helper} without a model of its own, and the run names no \`${key}\``,
    hint: `Write run: { ${key}: openai:${key === "judge_model" ? "gpt-5.4-mini" : "text-embedding-3-small"} }, or name the model in the call.`
  }),
  python_host_failed: ({ reason }) => ({
    message: `the Python process of Regrade failed: ${reason}`,
    hint: "Check that this Python works (python3 -I -c 'import json, re'), or name another with --python."
  })
};
function quoted(names) {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
function indented(traceback) {
  return traceback === "" ? "" : `
${traceback.replaceAll(/^/gmu, "    ")}`;
}

// src/model/problems/init.ts
init_define_builtScripts();
var initTexts = {
  init_exists: ({ file }) => ({
    message: `${file} exists already, and init overwrites nothing`,
    hint: file.endsWith("evals.yml") ? "Leave the workflow out with --no-workflow, and add a step that runs the action to one of yours." : "Choose another --name, or remove the file."
  }),
  init_one_field: ({ field }) => ({
    message: `the data has no two fields to ask and to answer with, but ${JSON.stringify(field)} alone`,
    hint: "A CSV file's columns are separated by commas. Where the question has no answer, name it with --prompt and --target."
  }),
  init_template_without_data: ({ flag }) => ({
    message: `${flag} is about your own data, and none is named`,
    hint: "Name it with --dataset, or leave the flag out."
  }),
  init_write_failed: ({ file, reason }) => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Mend that, or choose another folder. What is written already stays, and is never overwritten."
  }),
  init_name: ({ name }) => ({
    message: `found the name ${JSON.stringify(name)}; a suite's name is letters, digits, _, . and -, the first a letter or a digit, at most 100`
  }),
  init_grader: ({ grader, known: known2, nearest }) => ({
    message: `there is no grader ${JSON.stringify(grader)} to begin with; there are ${known2.join(", ")}`,
    hint: nearest === void 0 ? "A grader of your own goes into the manifest later: grader: { type: python, file: \u2026 }." : `Did you mean ${nearest}?`
  }),
  init_grader_numbers: () => ({
    message: "the grader numeric compares numbers, and the answers of the example data are words",
    hint: "Name your own data with --dataset, or choose exact_match."
  }),
  init_candidate: ({ candidate }) => ({
    message: `found the candidate ${JSON.stringify(candidate)}; it is 'command', or a model written provider:model`,
    hint: "Such as command, openai:gpt-5.4-mini or ollama:llama3.2."
  }),
  init_provider: ({ provider, known: known2, nearest }) => ({
    message: `there is no built-in provider ${JSON.stringify(provider)}; there are ${known2.join(", ")}`,
    hint: nearest === void 0 ? "Begin with one of them or with 'command'; a provider of your own goes into the manifest later, under `providers`." : `Did you mean ${nearest}?`
  }),
  init_dataset_name: ({ path }) => ({
    message: `the dataset ${path} is neither .jsonl nor .csv by its name`,
    hint: "Name a JSONL file (an object a line) or a CSV file with a header."
  }),
  init_dataset_outside: ({ path, root }) => ({
    message: `the dataset ${path} is outside of ${root}, where the suite's files must be`,
    hint: "Copy it into the repository."
  }),
  init_template_empty: ({ flag }) => ({
    message: `${flag} is empty`,
    hint: "A template holds the fields of a row, such as {{question}}."
  }),
  init_field_unknown: ({ field, known: known2, nearest }) => ({
    message: `the dataset has no field ${JSON.stringify(field)}; it has ${known2.join(", ")}`,
    ...nearest !== void 0 && { hint: `Did you mean {{${nearest}}}?` }
  })
};

// src/model/problems/k-eval.ts
init_define_builtScripts();
var page = "docs/k-eval.md lists the keys of a k-eval file.";
var kEvalTexts = {
  k_eval_value: ({ key, expected }) => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page
  }),
  k_eval_variables_missing: ({ names }) => ({
    message: `the file names environment variables that are not set: ${names.join(", ")}`,
    hint: "Set all of them where Regrade runs; in a workflow under `env` of the step."
  }),
  k_eval_import_variables: ({ names }) => ({
    message: `\`dataset.path\` and \`judge.model\` take ${names.join(", ")} from the environment, which a manifest can't: their values would stand in the file`,
    hint: "Write the values into the k-eval file, or use it as it is: a manifest with `uses:` this file."
  }),
  k_eval_key_unknown: ({
    key,
    suggestion
  }) => ({
    message: `k-eval knows no \`${key}\` here, and ignores it`,
    hint: suggestion === void 0 ? page : `Did you mean ${suggestion}?`
  }),
  k_eval_server_unknown: ({
    server,
    known: known2
  }) => ({
    message: `found the server ${JSON.stringify(server)}, which \`mcp_servers\` does not have`,
    hint: known2.length === 0 ? "`mcp_servers` has none: describe the server there." : `There are ${known2.join(", ")}.`
  }),
  k_eval_agent_unknown: () => ({
    message: "`agent.type` must be claude_code_sdk, the one agent that k-eval has",
    hint: "For another agent write a manifest with `uses:` this file and `candidates` of your own."
  }),
  k_eval_judge_unknown: ({ known: known2 }) => ({
    message: "`judge.model` names a provider that Regrade does not know by LiteLLM's name",
    hint: `Known are ${known2.join(", ")}. Others: a manifest with \`uses:\` this file, \`providers\` and \`run.judge_model\` of its own.`
  }),
  k_eval_judge_route: ({ model }) => ({
    message: `the judge on Vertex AI is asked as ${model}, the same model at its maker's own API`,
    hint: "It needs that provider's key. For another way write a manifest with `uses:` this file, `providers` and `run.judge_model`."
  }),
  k_eval_condition_name: ({ name, taken }) => ({
    message: taken ? `two conditions become the candidate ${JSON.stringify(name)}` : `the condition ${JSON.stringify(name)} has no letter or digit to name a candidate by`,
    hint: "A candidate's name has letters, digits and _ . : @ / -; all else becomes -."
  }),
  k_eval_dataset_missing: ({ path }) => ({
    message: `there is no file ${JSON.stringify(path)}, seen from this file's folder or from the repository's`,
    hint: "Correct `dataset.path`."
  }),
  k_eval_row: ({ line, reason }) => ({
    message: `line ${line} of the dataset ${reason}`,
    hint: "Each line is a JSON object with the keys that `question_key` and `answer_key` name."
  })
};

// src/model/problems/manifest.ts
init_define_builtScripts();

// src/model/problems/said.ts
init_define_builtScripts();
function alternatives(names) {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}

// src/model/definition/dataset.ts
init_define_builtScripts();
var datasetFormats = {
  jsonl: { endings: [".jsonl", ".ndjson"] },
  json: { endings: [".json"] },
  csv: { endings: [".csv", ".tsv"] }
};
var datasetEndings = Object.values(datasetFormats).flatMap(({ endings }) => endings);

// src/model/problems/manifest.ts
var manifestTexts = {
  manifest_syntax: ({ language, reason }) => ({
    message: `not valid ${language}: ${reason}`
  }),
  manifest_empty: () => ({
    message: "the manifest is empty",
    hint: "Start from the short manifest in the README."
  }),
  key_duplicate: ({ key }) => ({
    message: `the key \`${key}\` is written here twice`,
    hint: "Keep one of them."
  }),
  alias_unknown: ({ name }) => ({
    message: `the alias *${name} names no anchor that is defined before it`,
    hint: `Write &${name} at the value that it repeats.`
  }),
  alias_circular: ({ name }) => ({
    message: `the alias *${name} contains itself`,
    hint: "Write the value out instead of the alias."
  }),
  manifest_too_large: ({ limit }) => ({
    message: `the manifest has more than ${limit}`,
    hint: "Data belongs in a dataset file; aliases that repeat aliases grow very fast."
  }),
  number_not_finite: ({ found }) => ({
    message: `found ${found}; allowed are finite numbers`
  }),
  key_unknown: ({ key, allowed, nearest, belongs }) => ({
    message: `there is no key \`${key}\` here`,
    hint: unknownKeyHint({ allowed, nearest, belongs })
  }),
  key_missing: ({ key }) => ({
    message: `the key \`${key}\` is missing`
  }),
  key_misplaced: ({ key, belongs }) => ({
    message: `\`${key}\` has no meaning here: it belongs to ${belongs}`,
    hint: "Take it out, or move it there."
  }),
  keys_exclusive: ({
    found,
    keys
  }) => ({
    message: `${ticked(found)} exclude each other`,
    hint: `Give exactly one of ${ticked(keys)}.`
  }),
  keys_none: ({ keys }) => ({
    message: `one of ${ticked(keys)} is missing`,
    hint: "Give exactly one of them."
  }),
  value_type: ({ found, allowed, quoted: quoted4 }) => {
    const hint = quoted4 === void 0 ? shareMeant(found, allowed) : `Put it in quotes: ${quoted4}.`;
    return {
      message: `found ${found}; allowed is ${allowed}`,
      ...hint === void 0 ? {} : { hint }
    };
  },
  value_range: ({ found, allowed }) => ({
    message: `found ${found}, which is out of range; allowed is ${allowed}`
  }),
  value_unknown: ({ found, allowed, nearest }) => ({
    message: `found ${found}; allowed: ${allowed.join(", ")}`,
    ...nearest === void 0 ? {} : { hint: `Did you mean \`${nearest}\`?` }
  }),
  value_empty: () => ({ message: "found an empty text; something must stand here" }),
  value_long: ({ found, limit }) => ({
    message: `found ${found} characters; at most ${limit} are allowed`
  }),
  value_characters: ({ found, allowed }) => ({
    message: `found ${found}; allowed are ${allowed}`
  }),
  value_count: ({ found, allowed }) => ({
    message: `found ${found === 0 ? "none" : found}; allowed are ${allowed}`
  }),
  value_repeated: ({ found }) => ({
    message: `${found} is in this list twice`,
    hint: "Keep one of them."
  }),
  strict_refused: () => ({
    message: "--strict refuses what would otherwise be a warning",
    hint: "Correct the suite, or leave --strict out (in a workflow: the action's input `strict`)."
  }),
  prompt_is_list: () => ({
    message: "found a list; `prompt_template` is one text",
    hint: "Write the messages under `messages_template` instead: it is a list of {role, content}."
  }),
  braces_literal: ({ found, key }) => ({
    message: `\`${key}\` is no template: ${found} stays as it stands`,
    hint: "Templates are prompt_template, messages_template, target_template, those of `fewshot`, `instructions`, `tool_results`, `answer`, and url, headers and body of `http`."
  }),
  short_form_mixed: ({ key }) => ({
    message: `\`${key}\` is written at the top level beside \`tasks\``,
    hint: "Move it into a task, or drop `tasks` and keep one task's keys at the top level."
  }),
  task_duplicate: ({ id, line }) => ({
    message: `the task id ${JSON.stringify(id)} is taken${line === void 0 ? "" : ` by the task on line ${line}`}`,
    hint: "Give each task an id of its own."
  }),
  metric_duplicate: ({ id }) => ({
    message: `the metric id ${JSON.stringify(id)} is declared twice in this task`,
    hint: "Keep one of them."
  }),
  metric_not_given: ({ id, grader, given }) => ({
    message: `the grader ${grader} gives no metric ${JSON.stringify(id)}; it gives ${given.join(", ")}`,
    hint: "Name one of those, or leave `metrics` out."
  }),
  grader_name_taken: ({ name }) => ({
    message: `two graders of this task are called ${JSON.stringify(name)}`,
    hint: "Give each a `name` of its own: its scores are the metric of that name."
  }),
  grader_name_reserved: ({ name }) => ({
    message: `a grader can't be called ${JSON.stringify(name)}: that is ${name === "score" ? "the weighted score of all graders" : "what Regrade measures itself"}`,
    hint: "Give it another `name`."
  }),
  class_misplaced: ({ role, seesAll }) => ({
    message: `\`class\` as ${role} needs a \`file\`, and \`contract: ${seesAll ? "batch" : "sample"}\``,
    hint: seesAll ? "An aggregator and a post-processor see all samples together." : "A unit metric and a lambda see one sample at a time."
  }),
  aggregate_source_unknown: ({ source, sources, suggestion }) => ({
    message: `\`source: ${source}\` is not a grader of this task with one result for each sample; ${sources.length === 0 ? "it has none" : `it has ${sources.join(", ")}`}`,
    hint: suggestion === void 0 ? "Name the grader whose results are to be aggregated: a `unit_metric` in the same `graders`." : `Did you mean ${suggestion}?`
  }),
  grader_weight_direction: ({ name }) => ({
    message: `of ${name} less is better, and \`score\` is the weighted mean of what should be high`,
    hint: `Write weight: 0 at the grader ${name}, and gate its metric by a rule of its own.`
  }),
  reducer_repeats: ({ name, k, repeats }) => ({
    message: `\`reducer: ${name}\` needs ${k} repeats of a case, and the task has repeats: ${repeats}`,
    hint: `Write repeats: ${k} or more, or a smaller number in the reducer.`
  }),
  reducer_no_pass: ({ name, metric }) => ({
    message: metric.higher_is_better ? `\`reducer: ${name}\` counts passes, and nothing says which score of ${metric.id} is one` : `\`reducer: ${name}\` counts passes, and of ${metric.id} less is better`,
    hint: metric.higher_is_better ? "Declare scale: binary if its scores are 0 and 1 (1 passes), or a range (its upper end passes)." : "Use mean, mode or max, or a metric of which more is better."
  }),
  metric_range_empty: ({ low, high }) => ({
    message: `found the range [${low}, ${high}]: the lowest score must be below the highest`,
    hint: "Write the lowest possible score first, then the highest."
  }),
  metric_id_unread: ({ id }) => ({
    message: `a single number that the grader returns is stored under ${JSON.stringify(id)}, which \`metrics\` does not declare`,
    hint: "Declare it in `metrics`, or name a declared metric in `metric_id`."
  }),
  target_missing: ({ grader }) => ({
    message: `the grader ${grader} compares with a target, and this task has no \`target_template\``,
    hint: 'Add one, such as target_template: "{{answer}}".'
  }),
  execution_unlike_contract: (found) => ({
    message: `\`execution: ${found.execution}\` calls ${found.execution === "aggregate" ? "grade_batch" : "grade"}, though the contract is ${found.contract}`,
    hint: found.execution === "aggregate" ? "Write contract: batch, or leave `execution` out." : "Write contract: sample, or leave `execution` out."
  }),
  contract_without_models: () => ({
    message: "the contract model_backed is for graders that ask models, and `model_access: none` refuses them every call",
    hint: "Leave `model_access` out, or write contract: sample (batch for grade_batch)."
  }),
  models_missing: () => ({
    message: 'the grader may ask models, and the run names none: ctx.responses_create and ctx.embeddings_create fail where they ask for "auto"',
    hint: 'Set run.judge_model (run.embedding_model for embeddings), or name the model in the call (model="openai:gpt-5.4-mini") or in `allow_models`.'
  }),
  embedding_model_missing: ({ grader }) => ({
    message: `the grader ${grader} asks for embeddings, and the run names no model for them`,
    hint: "Set run.embedding_model, such as run: { embedding_model: openai:text-embedding-3-small }, or the grader's `embedding_model`."
  }),
  judge_model_missing: ({ grader }) => ({
    message: `the grader ${grader} asks a model, and the run names none`,
    hint: "Set run.judge_model, such as run: { judge_model: openai:gpt-5.4-mini }, or the grader's `model`."
  }),
  number_compared_as_text: () => ({
    message: "exact_match compares the extracted number as a text: the answer 51 is then not the target 51.0, nor 1000 the target 1,000",
    hint: "Write grader: numeric, which compares numbers by their value."
  }),
  schema_file_unusable: ({ path, reason }) => ({
    message: `can't use ${path} as a JSON Schema: ${reason}`,
    hint: "The grader json_schema takes a JSON file that holds one schema, or the schema itself under `schema`."
  }),
  setting_idle: ({ key, why }) => ({
    message: `\`${key}\` has no effect: ${why}`
  }),
  candidates_missing: () => ({
    message: "the suite has no candidates: nothing to judge",
    hint: "Declare one, such as candidates: { app: { command: [python3, app.py] } } or candidates: { recorded: { replay: outputs.jsonl } }; or name a model for this run: --model openai:gpt-5.4-mini."
  }),
  candidate_duplicate: ({ id }) => ({
    message: `the candidate ${JSON.stringify(id)} is declared twice`,
    hint: "Give each candidate a name of its own, or keep one."
  }),
  file_id_unknown: ({ id, known: known2, nearest }) => ({
    message: `\`files\` has no path for the file id ${JSON.stringify(id)}`,
    hint: nearest === void 0 ? `Add it: files: { ${id}: path/in/this/repository }${known2.length === 0 ? "" : `; there are ${known2.join(", ")}`}.` : `Did you mean ${nearest}?`
  }),
  file_id_unused: ({ id }) => ({
    message: `nothing in this suite uses the file id ${JSON.stringify(id)}`
  }),
  path_absolute: ({ path }) => ({
    message: `found the absolute path ${path}`,
    hint: "Write it relative to the manifest, so that it means the same on every machine."
  }),
  path_outside: ({ path }) => ({
    message: `the path ${path} leads out of the repository`,
    hint: "Paths are relative to the manifest and stay inside the repository (outside git: the working directory)."
  }),
  path_link_outside: ({ path }) => ({
    message: `the path ${path} leads out of the repository through a symbolic link`,
    hint: "Put the file itself into the repository."
  }),
  path_is_directory: ({ path }) => ({
    message: `${path} is a directory; a file is needed`
  }),
  path_shows_git: ({ path }) => ({
    message: `${path} would let it read .git, which may hold a token of the checkout`,
    hint: "Name the folders that it needs; the repository as a whole can't be opened."
  }),
  path_missing: ({ path }) => ({
    message: `no such file: ${path}`,
    hint: "Paths are relative to the manifest's folder."
  }),
  format_unknown: ({ path }) => ({
    message: `the name ${path} does not tell the dataset's format`,
    hint: `Add format: ${alternatives(Object.keys(datasetFormats))} (names that tell end in ${alternatives(datasetEndings)}).`
  })
};
function unknownKeyHint({ allowed, nearest, belongs }) {
  if (nearest !== void 0) return `Did you mean \`${nearest}\`?`;
  if (belongs !== void 0) return `Write it as ${belongs}.`;
  return `Allowed here: ${allowed.join(", ")}.`;
}
function ticked(keys) {
  const quoted4 = keys.map((key) => `\`${key}\``);
  return quoted4.length < 2 ? quoted4.join("") : `${quoted4.slice(0, -1).join(", ")} and ${quoted4.at(-1)}`;
}
function shareMeant(found, allowed) {
  const [, percent] = /^"?(\d+(?:\.\d+)?) ?%"?$/.exec(found) ?? [];
  if (percent === void 0 || !allowed.startsWith("a number")) return void 0;
  return `Write ${Number((Number(percent) / 100).toPrecision(12))}.`;
}

// src/model/problems/model.ts
init_define_builtScripts();
var modelTexts = {
  model_key_missing: (found) => ({
    message: `${found.model} needs a key for ${found.provider}, and the environment variable ${found.variable} is not set or empty`,
    hint: `Set it where Regrade is started (in a workflow: env: { ${found.variable}: "\${{ secrets.${found.variable} }}" }; pull requests from forks get no secrets).`,
    missing: found.variable
  }),
  model_ends: ({ model, provider, date, days, instead }) => ({
    message: days > 0 ? `${provider} switches ${model} off on ${date}, in ${days} ${plural(days, "day")}` : `${provider} switched ${model} off on ${date}: its calls fail`,
    hint: instead === void 0 ? "Its provider's page on deprecations names others. Run the suite with both as candidates before you change over." : `${provider} names ${instead} in its place. Run the suite with both as candidates before you change over.`
  }),
  model_key_malformed: ({ variable, provider }) => ({
    message: `the key for ${provider} in the environment variable ${variable} has a space, a line break or another character in it that no key has`,
    hint: "Copy the key again, alone and on one line."
  })
};

// src/model/problems/platform.ts
init_define_builtScripts();
var platformTexts = {
  input_unknown_word: ({
    input,
    found,
    allowed
  }) => ({
    message: `the input '${input}' does not know ${JSON.stringify(found)}`,
    hint: `Allowed: ${allowed.join(", ")}.`
  }),
  input_not_a_number: ({
    input,
    found,
    min,
    max,
    or
  }) => ({
    message: `the input '${input}' is ${JSON.stringify(found)}, not a whole number`,
    hint: `Allowed: ${min} to ${max}${or === void 0 ? "" : `, or ${or}`}.`
  }),
  input_not_a_setting: ({ input, found }) => ({
    message: `the input '${input}' has the line ${JSON.stringify(found)}, which is no setting`,
    hint: "Write KEY=VALUE, a setting a line, such as temperature=0 or reasoning.effort=low."
  }),
  input_directory_missing: ({ directory: directory2 }) => ({
    message: `the input 'working-directory' names ${directory2}, and there is no such directory`,
    hint: "Name a folder of the repository, relative to its root. Was the repository checked out before this step?"
  }),
  input_directory_linked: ({ directory: directory2, real }) => ({
    message: `the input 'working-directory' names ${directory2}, which leads to ${real} here and not in the base: the base's suites in that place would not be judged`,
    hint: `Name the folder itself: working-directory: ${real}; and keep the base's folder, or let its removal be approved.`
  }),
  suites_not_found: ({
    patterns,
    directory: directory2,
    skipped = []
  }) => ({
    message: `no suite found: nothing in ${directory2} matches ${patterns.join(", ")}${skipped.length === 0 ? "" : ` but files that are no suites (${skipped.join(", ")})`}`,
    hint: "Name the suite's file with the input 'suite'. Was the repository checked out before this step (actions/checkout)?"
  }),
  page_failed: ({ suite, reason }) => ({
    message: `the report page of ${suite} could not be made: ${reason}`,
    hint: "The verdict stands. `regrade report DIR --html` makes the page from the run's artifact."
  }),
  artifact_failed: ({ name, reason }) => ({
    message: `the artifact ${name} was not uploaded: ${reason}`,
    hint: "The verdict does not depend on it. The run is in the output 'run-path' until the job ends."
  }),
  artifacts_late: ({ names, minutes }) => ({
    message: `not uploaded within the ${minutes} minutes that all uploads of a step have together: ${names.join(", ")}`,
    hint: "The artifact service is slow or silent. The verdict does not depend on it; later runs have no baseline from this one. The runs are in the output 'run-path' until the job ends."
  }),
  artifact_no_service: () => ({
    message: "no artifact was uploaded: this machine offers no artifact service",
    hint: "That is normal under act and outside GitHub Actions. The run is in the output 'run-path'."
  }),
  summary_failed: ({ reason }) => ({
    message: `the job summary was not written: ${reason}`,
    hint: "The verdict does not depend on it. The summary is in the output 'summary-path'."
  }),
  outputs_failed: ({ reason }) => ({
    message: `the step's outputs were not written: ${reason}`,
    hint: "The step's own conclusion still tells the verdict."
  }),
  metrics_too_long: ({ kept }) => ({
    message: `the output 'metrics' would be too long for GitHub; it has ${kept}`,
    hint: "All metrics are in run.json, in the output 'run-path'."
  }),
  github_forbidden: ({
    what,
    permission,
    message
  }) => ({
    message: `${what} failed: the token may not do it (${message})`,
    hint: `Give the job the permission '${permission}'. The verdict does not depend on it. A fork's or Dependabot's token can only read.`
  }),
  github_missing: ({
    what,
    permission,
    message,
    status
  }) => ({
    message: `${what} failed: GitHub answers ${status ?? 404} (${message})`,
    hint: `It is not there, or the token may not know of it: the permission is '${permission}'. The verdict does not depend on it.`
  }),
  github_refused: ({
    what,
    message,
    status
  }) => ({
    message: `${what} failed: GitHub does not take it (${status ?? "no status"}: ${message})`,
    hint: "The verdict does not depend on it. The job summary has the same content."
  }),
  github_limited: ({ what, message }) => ({
    message: `${what} failed: too many requests to GitHub (${message})`,
    hint: "The verdict does not depend on it. The limit is shared by all workflows of the repository; a later run has it again."
  }),
  github_down: ({ what, message }) => ({
    message: `${what} failed: GitHub can't be reached or has trouble (${message})`,
    hint: "The verdict does not depend on it. It was tried several times; behind a proxy, set HTTPS_PROXY for the runner."
  }),
  github_cancelled: ({ what }) => ({
    message: `${what}: left undone, the job is cancelled`
  }),
  comment_crowded: ({ rounds }) => ({
    message: `the comment on the pull request was written ${rounds} times, and other jobs wrote over it each time`,
    hint: "The verdict does not depend on it. Let one job judge all suites, or join the matrix with 'mode: merge'."
  }),
  github_waits_no_more: ({ seconds, most }) => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request; that is not waited for, as all such calls of a step wait at most ${most} s together`
  }),
  github_waits: ({ seconds }) => ({
    message: `GitHub asks for a pause of ${seconds} s before the next request`
  }),
  baseline_lookup_failed: ({ reason, remedy }) => ({
    message: `looking for a baseline: ${reason}`,
    hint: `Where no older run can be read either, rules that compare are inconclusive. ${remedy}`
  }),
  baseline_not_here: ({ reason }) => ({
    message: `a baseline is to be looked for among earlier runs, and ${reason}`,
    hint: "Name a run directory (`baseline: path/to/run`, or `gate.baseline.path`), or let the base run in this job: `gate.baseline: { from: rerun }`."
  }),
  policy_base_unreachable: ({ sha, reason }) => ({
    message: `the files of the base commit ${sha.slice(0, 12)} can't be had, and they say how this change is judged: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions."
  }),
  policy_of_new_workflow: ({ path, asked }) => ({
    message: `the base has no ${path}, so \`policy-from: ${asked}\` is this change's own word: the base's rules judge`,
    hint: "The input counts once the workflow is on the base."
  }),
  results_without_base: ({ reason }) => ({
    message: `it is not known whether this change edits its results, what judged them, or the workflow: ${reason}`,
    hint: "It takes git or a token, and 'contents: read' where the job names its permissions."
  }),
  report_without_token: () => ({
    message: "`mode: report` needs a token, and the input 'token' is empty",
    hint: "Leave the input out: the job's own token is its default."
  }),
  report_wrong_event: ({ event }) => ({
    message: `\`mode: report\` works in a workflow that is started by workflow_run, and this one was by ${event || "nothing"}`,
    hint: "Put it into a workflow of its own: on: { workflow_run: { workflows: [Evals], types: [completed] } }."
  }),
  report_other_workflow: (found) => ({
    message: `the run was of ${found.path}, and on the base ${found.names.join(", ")} is ${found.paths.length === 0 ? "no workflow" : found.paths.join(", ")}: what ran is the fork's own, or another one that the fork calls so`,
    hint: "Nothing is reported on it. A workflow, and its name, count once they are on the base branch."
  }),
  report_several_workflows: (found) => ({
    message: `this workflow listens to several ones (${found.names.join(", ")}: ${found.paths.join(", ")}): a fork could choose by which one's baselines it is judged`,
    hint: "Give each workflow with evals a report workflow of its own, and names that no other has."
  }),
  report_listens_to_nothing: ({ path }) => ({
    message: `the workflow ${path} was not found in the checkout, or names no workflows under on.workflow_run.workflows: which one's runs may be reported on is not known`,
    hint: "Check the default branch out before this step (actions/checkout), with on: { workflow_run: { workflows: [Evals], types: [completed] } }."
  }),
  same_key: ({ suite, key }) => ({
    message: `another job or step of this workflow run has run the suite ${suite} as the same one (${key}), so that later runs could not tell their baselines apart`,
    hint: "Give each of them an input `leg` of its own, or the suites different names."
  }),
  legs_unknown: ({ reason }) => ({
    message: `whether another job or step of this workflow run has run the same suite could not be looked up: ${reason}`,
    hint: "Where one has, later runs say so when they look for their baseline."
  }),
  report_no_outputs: (found) => ({
    message: `${found.source} has no outputs of the suite ${found.suite} that could be judged: ${found.reason}`,
    hint: "The run's own log says what happened there. Someone with write access can run the change from a branch of this repository."
  }),
  report_outputs_failed: (found) => ({
    message: `the outputs of the suite ${found.suite} could not be fetched from ${found.source}, so that nothing was judged: ${found.reason}`,
    hint: "Run this job again ('Re-run jobs' on its page). Where it names its permissions, 'actions: read' is one that it needs."
  }),
  report_check_lost: ({ suite, sha }) => ({
    message: `the check of the suite ${suite} could not be written on ${sha.slice(0, 12)}: nobody sees the verdict on the pull request, so this job fails`,
    hint: "Run it again ('Re-run jobs' on its page). Where it names its permissions, 'checks: write' is one that it needs."
  }),
  report_without_check: () => ({
    message: "`mode: report` tells its verdict by a check on the pull request, and `check-run: false` leaves it out",
    hint: "Leave the input `check-run` out, and give the job the permission 'checks: write'."
  }),
  cache_of_commit: ({ folder }) => ({
    message: `${folder} is not read: git has files of it, or can't be asked, so the change may have brought its answers`
  }),
  cache_in_git: ({ path }) => ({
    message: `${path} is checked in: answers and data cached there would replace those of the run`,
    hint: `Remove it (git rm -r --cached ${path}), and put it into .gitignore.`
  }),
  merge_into_other_base: ({ base, parent }) => ({
    message: `this pull request was pointed at ${base}, and the commit that is checked out merges it into ${parent.slice(0, 12)}, which ${base} does not have: GitHub had not made the merge into ${base} yet`,
    hint: "Close the pull request and open it again, or push to it: that starts a run on the right merge. Re-running this one does not."
  }),
  change_not_checked_out: (found) => ({
    message: `the commit that is checked out, ${found.found.slice(0, 12)}, is the base's, and not the change (${found.head.slice(0, 12)}): its verdict would be shown as that of the change`,
    hint: found.event === "pull_request_target" ? "Judge pull requests by the event pull_request, whose checkout is the merge of the change; forks that need secrets by a second workflow (docs/github.md, Forks and Dependabot)." : "Leave out the `ref` of actions/checkout: by default it takes the commit that is to be judged."
  }),
  inputs_of_base: ({
    path,
    inputs
  }) => ({
    message: `the change edits the inputs of this step in ${path}, and does not choose by that how it is judged. As in the base's file: ${Object.entries(
      inputs
    ).map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ")}`,
    hint: "Its own values count once they are merged. Suites and failing verdicts that it adds count at once."
  }),
  event_of_other_commit: ({ found, head }) => ({
    message: `the event's payload (GITHUB_EVENT_PATH) is about the head ${head.slice(0, 12)}, which the commit that is checked out, ${found.slice(0, 12)}, does not merge: which change is judged, and by which base's rules, is not certain`,
    hint: "A push meanwhile has a run of its own. If a step before this one writes that file, take that out."
  }),
  token_of_base: ({ path }) => ({
    message: `the change takes the token away from this step in ${path}, and with it every comparison with an earlier run`,
    hint: "Leave the input `token` as the base's file has it."
  }),
  event_unreadable: ({ event }) => ({
    message: `the payload of the event ${event} can't be read (GITHUB_EVENT_PATH): which change is judged, and by which base's rules, is not known`,
    hint: "Run the job again. If a step before this one writes that file, take that out; under act, give the event with --eventpath. `policy-from: none` judges a change by its own rules."
  }),
  pull_of_head_unknown: ({ reason }) => ({
    message: `whether a pull request stands at this commit is not known, and the verdict is by the commit's own rules: ${reason}`,
    hint: "Give the job the permission 'pull-requests: read', or leave other branches than the default one out of its events: a check of this name may count for a pull request."
  }),
  pull_of_several_bases: ({ bases }) => ({
    message: `this commit is the head of pull requests to several branches (${bases.join(", ")}), and none of them is the default branch: by whose rules it is to be judged is not known`,
    hint: "The runs of the pull requests themselves judge it, each by its base. Let this event start no run for such a commit."
  }),
  labels_unknown: ({ reason, isDenied }) => ({
    message: `whether a label approves this change is not known: ${reason}`,
    hint: `Without an approval the stricter verdict decides. ${isDenied ? "The job needs the permissions 'contents: read', 'pull-requests: read' and 'actions: read'." : "Run the job again."}`
  }),
  baseline_artifact_refused: ({ name, reason }) => ({
    message: `the artifact ${name} of an earlier run is no baseline: ${reason}`,
    hint: "Another run is looked for. A push to the base branch leaves a new one."
  }),
  interrupted: () => ({
    message: "cancelled: what was finished is kept, and nothing was judged",
    hint: "The run is in the output 'run-path' until the job ends. Run the job again for a verdict."
  })
};

// src/model/problems/policy.ts
init_define_builtScripts();
var policyTexts = {
  policy_from_missing: ({ source }) => ({
    message: `--policy-from ${source}: there is no such commit here, and no such folder`,
    hint: "In a shallow checkout fetch it first: git fetch --depth=1 origin main, then --policy-from FETCH_HEAD. Or name a folder with a tree of the base."
  }),
  policy_from_ambiguous: ({ name, known: known2 }) => ({
    message: `--policy-from ${name} may be several commits: ${known2.join(", ")}`,
    hint: "Write one of these refs in full, the remote's as a rule, or the commit's full id."
  }),
  policy_from_in_change: ({ source }) => ({
    message: `--policy-from ${source}: there is no such commit here, and the folder of that name is in git: a change could bring it`,
    hint: "Name a commit: after git fetch --depth=1 origin main it is FETCH_HEAD. A folder with a tree of the base has to be outside of the repository, or in no commit."
  }),
  policy_in_submodule: ({ path }) => ({
    message: `the working directory is in the submodule ${path}: the base commit of this repository has no files of it, and can't say how its suites are judged`,
    hint: "Gate them in the submodule's own repository, or keep suites out of submodules. `policy-from: none` judges a change by its own rules."
  }),
  policy_submodule_missing: ({ source, path }) => ({
    message: `in ${source} ${path} is a submodule, whose files are not here: what the base has there can't be known`,
    hint: "Check it out with the commit that the base has (in a workflow: `submodules: true` at actions/checkout); after a change that takes the submodule away, keep suites and their files out of submodules."
  }),
  policy_git_failed: (found) => ({
    message: `--policy-from ${found.source}: git can't read the repository ${found.repository}: ${found.reason}`,
    hint: "Install git, or mend what it names. If the folder belongs to another user, as in a container: git config --global --add safe.directory followed by its path. Or name a folder with a tree of the base."
  }),
  policy_checkout_failed: ({ source, reason }) => ({
    message: `--policy-from ${source}: its files can't be written to a temporary folder: ${reason}`,
    hint: "Mend what it names: free some space, set TMPDIR to another folder, or let git fetch what a partial clone lacks. Or name a folder with a tree of the base."
  }),
  policy_other_repository: (found) => ({
    message: `${found.suite} is not in the repository of ${found.source} (${found.root})`,
    hint: "Start Regrade within the suite's own repository, or name a folder with a tree of its base."
  })
};

// src/model/problems/preprocess.ts
init_define_builtScripts();
var preprocessTexts = {
  preprocess_file_unreadable: ({ file, reason }) => ({
    message: `can't read the preprocessor's file ${file}: ${reason}`,
    hint: "Check preprocess.file; it is relative to the manifest."
  }),
  preprocess_syntax: ({ reason, text }) => ({
    message: `the preprocessor has a syntax error: ${reason}${text === void 0 ? "" : `
    ${text.trim()}`}`,
    hint: "Correct it; 'python3 -m py_compile' finds such errors in a file."
  }),
  preprocess_not_loaded: ({ reason, traceback }) => ({
    message: `the preprocessor can't be imported: ${reason}${traceback === "" ? "" : `
${traceback.replaceAll(/^/gmu, "    ")}`}`,
    hint: "Its top level must run without an error, in its own folder and without the job's environment variables; its imports must be next to it, or installed for the interpreter that Regrade uses."
  }),
  preprocess_no_function: ({ contract, reason }) => ({
    message: `the preprocessor has no function that the contract ${contract} can call${reason === "" ? "" : `: ${reason}`}`,
    hint: contract === "row" ? "Define transform_row(row), transform(row) or process_doc(row) at its top level; for transform_batch(rows) write contract: batch." : "Define transform_batch(rows) or process_docs(rows) at its top level; for transform(row) write contract: row."
  }),
  preprocess_no_sandbox: ({ reason }) => ({
    message: `the preprocessor can't be shut in: ${reason}`,
    hint: "Use --sandbox auto to run with what this machine offers."
  }),
  preprocess_failed: ({
    row,
    type,
    message
  }) => ({
    message: `the preprocessor failed${row === void 0 ? "" : ` on row ${row}`} (${type}): ${message}`,
    hint: "Nothing was run. 'regrade validate' tries the preprocessor again without a sample."
  }),
  preprocess_no_rows: ({ rows }) => ({
    message: `the preprocessor left none of ${rows} ${plural(rows, "row")}`,
    hint: "Return the rows that are to be cases: without cases nothing is measured."
  })
};

// src/model/problems/provider.ts
init_define_builtScripts();
var providerTexts = {
  model_without_provider: ({ model }) => ({
    message: `found the model ${JSON.stringify(model)}; a model is written provider:model`,
    hint: `Put its provider before it, such as openai:${model}.`
  }),
  provider_unknown: ({ provider, known: known2, nearest }) => ({
    message: `there is no provider ${JSON.stringify(provider)}; there are ${known2.join(", ")}`,
    hint: nearest === void 0 ? `Declare it: providers: { ${provider}: { base_url: "https://\u2026/v1", api_key_env: \u2026 } }.` : `Did you mean ${nearest}?`
  }),
  provider_unused: ({ provider }) => ({
    message: `no model of this suite is of the provider ${JSON.stringify(provider)}`
  }),
  provider_address_fixed: (found) => ({
    message: `the built-in provider ${found.provider} answers at ${found.hosts}, not at ${found.host}: its key goes nowhere else`,
    hint: "Give your own provider another name, and a key of its own in `api_key_env`."
  }),
  azure_resource_missing: ({ variable }) => ({
    message: "a model of azure needs the address of your resource",
    hint: `Add it: providers: { azure: { base_url: "https://NAME.openai.azure.com/openai/v1" } }, or set ${variable}.`
  }),
  key_of_builtin: (found) => ({
    message: `${found.name} is the key of the built-in provider ${found.owner}, and would go to ${found.host}`,
    hint: "A built-in provider's key goes to its own host only, and over https. Put this one's key into a variable of another name."
  }),
  key_of_runner: ({ name, host }) => ({
    message: `${name} belongs to the runner, and would go to ${host}`,
    hint: "With it the other side could act as the workflow. Give it a key of its own, under another name."
  }),
  url_malformed: ({ found }) => ({
    message: `found ${JSON.stringify(found)}, which is no address`,
    hint: "Write it in full, such as https://models.example.com/v1."
  }),
  url_scheme: ({ scheme }) => ({
    message: `found an address with ${scheme}; allowed are https:// and http://`
  }),
  url_credentials: () => ({
    message: "the address holds a user or a password",
    hint: "A manifest is no place for secrets. Put the key into an environment variable and name that."
  }),
  url_extra: ({ part, found }) => ({
    message: `the base URL has ${part} (${found})`,
    hint: "It ends before /chat/completions and /responses, which are put behind it, and has neither ? nor #."
  }),
  url_template_host: () => ({
    message: "the address has a template before its path",
    hint: "Where requests go is not for a row to say: write the host out, and templates after it."
  }),
  url_not_encrypted: ({ host }) => ({
    message: `http:// to ${host} is not encrypted: prompts, answers and keys can be read on the way`,
    hint: "Use https://, if the other side offers it."
  }),
  header_reserved: ({ name, instead }) => ({
    message: `the header ${name} can't be set here`,
    hint: instead
  }),
  proxy_malformed: ({ name }) => ({
    message: `the variable ${name} holds no address of a proxy`,
    hint: "Write it as http://HOST:PORT, or http://USER:PASSWORD@HOST:PORT with percent-encoded words; or leave the variable unset."
  }),
  setting_conflict: (found) => ({
    message: `\`${found.key}\` and \`${found.other}\` mean the same and have different values`,
    hint: "Keep one of them."
  }),
  settings_not_sent: ({ settings, model, why }) => ({
    message: `not sent to ${model}: ${settings.join(", ")}; ${why}`
  }),
  settings_refused: ({ settings, model, why, instead }) => ({
    message: `${model} will refuse ${settings.join(", ")}: ${why}`,
    hint: instead
  }),
  body_fields_unsafe: ({ fields }) => ({
    message: `taken out of \`extra_body\`: ${fields.join(", ")}`,
    hint: "It adds to the request; it does not change the model, the prompt, where they go, or how the answer comes."
  }),
  http_env_undeclared: ({ name }) => ({
    message: `{{env.${name}}} is used here, and \`env\` does not name ${name}`,
    hint: `Add it beside \`http\`: env: [${name}].`
  }),
  http_env_in_url: ({ name }) => ({
    message: `{{env.${name}}} is in the address`,
    hint: "Addresses end up in logs: pass a secret in a header."
  }),
  http_same_request: () => ({
    message: "every case would send the same request: it contains no template",
    hint: 'Add the prompt, such as body: { prompt: "{{prompt}}" }.'
  }),
  http_body_of_get: () => ({
    message: "a GET request has no body",
    hint: "Use method: POST, or put what the body says into the address."
  }),
  pointer_malformed: ({ found }) => ({
    message: `found ${JSON.stringify(found)}, which is no JSON pointer`,
    hint: "A JSON pointer is empty or begins with /, such as /choices/0/text; ~0 and ~1 stand for ~ and /."
  })
};

// src/model/problems/remote.ts
init_define_builtScripts();
var remoteTexts = {
  hub_path_malformed: ({ path }) => ({
    message: `found ${JSON.stringify(path)}, which can't be a dataset of Hugging Face`,
    hint: "A path is owner/name, such as facebook/belebele; files behind addresses go under `path: json` or `path: csv` with `data_files`."
  }),
  data_files_missing: ({ builder }) => ({
    message: `\`path: ${builder}\` reads files, and \`data_files\` does not say which`,
    hint: "Add data_files: an http(s) address, a list of them, or a mapping by split."
  }),
  data_files_empty: () => ({
    message: "`data_files` names no file",
    hint: "Name at least one http(s) address."
  }),
  data_files_kind: () => ({
    message: "found something else than an address in `data_files`",
    hint: "Give an http(s) address, a list of them, or a mapping by split of these."
  }),
  data_files_split: ({ split, known: known2, nearest }) => ({
    message: `\`data_files\` has no files of the split ${JSON.stringify(split)}; it has ${listed(known2)}`,
    hint: nearest === void 0 ? "Name one of these in `split` (the default is test), or add it." : `Did you mean \`split: ${nearest}\`?`
  }),
  hub_needs_token: ({ path }) => ({
    message: `Hugging Face has no dataset ${path}, or it is private or gated: nobody may read it without a token`,
    hint: "Check the spelling. Where it is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN (in a workflow: env: HF_TOKEN: ${{ secrets.HF_TOKEN }})."
  }),
  hub_no_access: ({ path }) => ({
    message: `Hugging Face has no dataset ${path}, or the account of HF_TOKEN may not read it`,
    hint: "Check the spelling. Where it is gated, accept its conditions on its page with that account; a fine-grained token must also allow the dataset."
  }),
  hub_refused: ({ path, reason }) => ({
    message: `the dataset server gives no rows of ${path} (${reason})`,
    hint: "Whether it can is shown by the viewer on the dataset's page. Where it can't, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_answer_bad: ({ where, reason }) => ({
    message: `the dataset server's answer for ${where} can't be used: ${reason}`,
    hint: "Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_config_unknown: (found) => ({
    message: `the dataset ${found.path} has no config ${JSON.stringify(found.name)}; it has ${listed(found.known)}`,
    hint: found.nearest === void 0 ? "Name one of these in `name`, or leave it out." : `Did you mean \`name: ${found.nearest}\`?`
  }),
  hub_split_unknown: (found) => ({
    message: `the dataset ${found.path}${found.config === void 0 ? "" : ` (config ${found.config})`} has no split ${JSON.stringify(found.split)}; it has ${listed(found.known)}`,
    hint: found.nearest === void 0 ? "Name one of these in `split` (the default is test; train for few-shot examples)." : `Did you mean \`split: ${found.nearest}\`?`
  }),
  hub_config_chosen: (found) => ({
    message: `${found.count} configs of ${found.path} have a split ${JSON.stringify(found.split)}, and \`name\` chooses none: ${found.config} is read, the first`,
    hint: `Write name: ${found.config}, so that a config that is added before it changes nothing.`
  }),
  hub_revision_untold: ({ path, revision }) => ({
    message: `the dataset server does not tell which revision of ${path} it has: it may not be ${revision}`,
    hint: "Leave `revision` out to read its current one."
  }),
  hub_revision_unknown: (found) => ({
    message: `the dataset ${found.path} has no revision ${JSON.stringify(found.revision)} (${found.reason})`,
    hint: "A revision is a branch, a tag or a commit of the dataset's repository."
  }),
  hub_revision_other: (found) => ({
    message: `the dataset server has ${found.path} as of the commit ${found.served}, and \`revision\` asks for ${found.revision}; it has no other`,
    hint: `Write revision: ${found.served} or leave it out; or read that revision's files: path: json or path: csv with data_files: https://huggingface.co/datasets/${found.path}/resolve/${found.revision}/\u2026`
  }),
  hub_changed: ({ where }) => ({
    message: `the dataset ${where} was changed while it was read`,
    hint: "Run again: half of two revisions would be neither."
  }),
  hub_page_short: (found) => ({
    message: `the dataset server gave ${found.found} rows of ${found.where} from row ${found.offset + 1} on, where ${found.expected} should be`,
    hint: "Rows would go missing unseen. Run again; if it stays so, name the dataset's files: path: json or path: csv with data_files."
  }),
  hub_partial: ({ path, rows }) => ({
    message: `the dataset server holds only the first ${rows} rows of this split of ${path}`,
    hint: `Write max_rows: ${rows} or less to take these, or name the dataset's files: path: json or path: csv with data_files.`
  }),
  hub_cells_cut: ({ row, columns }) => ({
    message: `the dataset server truncated row ${row} in ${listed(columns)}: the row is incomplete`,
    hint: "Name the dataset's files instead: path: json or path: csv with data_files."
  }),
  hub_files: ({ path, columns }) => ({
    message: `the dataset ${path} has files (images, sound) under ${listed(columns)}: the rows hold links to them that no candidate can open`
  }),
  remote_too_many: ({ rows, limit }) => ({
    message: rows === void 0 ? `there are more than ${limit} rows, which is the most that is read` : `there are ${rows} rows; the most that is read is ${limit}`,
    hint: `Write max_rows: ${limit} or less.`
  }),
  remote_forbidden: ({ url, reason }) => ({
    message: `${url} is not asked: ${reason}`,
    hint: "Data is read from public http(s) hosts only, including redirects: a suite may come from a stranger, and must not reach this machine's network. Put the file into the repository."
  }),
  remote_broken: ({ url, reason }) => ({
    message: `the answer of ${shortUrl(url)} broke off: ${reason}`,
    hint: "Run again."
  }),
  remote_failed: ({ url, reason }) => ({
    message: `${url} gives no answer that can be used: ${reason}`,
    hint: "Run again later; what has been read of it so far is kept."
  }),
  remote_paused: (found) => ({
    message: `${found.url} asks to come back in ${found.minutes} ${plural(found.minutes, "minute")} (${found.reason}; asked ${found.attempts} times)`,
    hint: "Run again then: what has been read so far is kept. With a token in HF_TOKEN Hugging Face allows more requests, and max_rows needs fewer."
  }),
  data_file_denied: (found) => ({
    message: `${found.url} may not be read (HTTP ${found.status})`,
    hint: found.needsToken ? "Where the dataset is private or gated, put a token of an account that may read it into the environment variable HF_TOKEN." : "Its server requires a login; Regrade sends one only to Hugging Face (HF_TOKEN), if the account has access. Put the file into the repository, or behind an address that everybody may read."
  }),
  data_file_status: ({ url, reason }) => ({
    message: `${url} can't be read (${reason})`,
    hint: "Open the address in a browser that is not logged in: it must give the file itself."
  }),
  data_file_kind: ({ what }) => ({
    message: `the file is ${what}; JSON lines, a JSON list or CSV is needed`,
    hint: "On Hugging Face the address of a file has /resolve/ in it, that of its page /blob/. A compressed file has to be unpacked, another kind converted."
  })
};
var mostListed = 20;
function listed(names) {
  if (names.length === 0) return "none";
  const more = names.length - mostListed;
  return `${names.slice(0, mostListed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
function shortUrl(text) {
  return text.replace(/[?#].*$/s, "");
}

// src/model/problems/results.ts
init_define_builtScripts();
var resultTexts = {
  /** The file ends early. `at` is the place (`byte 10240`, `line 12`), `of` the thing that is cut off. */
  results_list: () => ({
    message: "the file begins with a list, and JSON lines have an object on each line",
    hint: "Write each object on a line of its own, without brackets and commas around them: `jq -c '.[]' results.json > results.jsonl` does it."
  }),
  results_truncated: ({ at, of }) => ({
    message: `the file ends in the middle${of === void 0 ? "" : ` of ${of}`}, at ${at}: it was cut off`,
    hint: "Was the tool stopped, or the copy broken off? Results that are not whole can't be judged: let the tool finish, or copy the file again."
  }),
  /** The text at `at` is not JSON, XML, ZIP or CSV as expected. */
  results_unreadable: ({ at, reason }) => ({
    message: `the file can't be read at ${at}: ${reason}`
  }),
  results_version: (found) => ({
    message: `it is of ${found.tool}'s format ${quoted2(found.found)}, which is not known here`,
    hint: `Known are ${found.known.join(", ")}. Write the results with one of those, or map them to JSON lines (format: jsonl).`
  }),
  /**
   * The file does not have this format; `expected`: the feature that identifies it, such as `an object with "results"`.
   */
  results_not_format: ({ format, expected }) => ({
    message: `it is no ${format} file: ${expected} was expected`,
    hint: "Name the format that it has, or let `auto` look."
  }),
  /** A field that can't be mapped; `at` is its row: `line 12`, `results[3]`. */
  results_field: (found) => ({
    message: `${found.at}: '${found.field}' is ${found.found}; ${found.expected} was expected`
  }),
  results_metric_missing: (found) => ({
    message: `no row has the metric '${found.metric}'`,
    hint: found.nearest !== void 0 ? `Did you mean '${found.nearest}'?` : found.known.length === 0 ? "No row has a score." : `There ${found.known.length === 1 ? "is" : "are"} ${found.known.join(", ")}.`
  }),
  results_limit_outside: (found) => ({
    message: found.limit === "min" ? `min is ${found.value}, and '${found.metric}' lies between ${found.range.join(" and ")}` : `max-drop is ${found.value}, and '${found.metric}' lies between ${found.range.join(" and ")}: no drop can be as large`,
    hint: found.range[0] === 0 && found.range[1] === 1 ? found.limit === "min" ? "Write 0.8 for 80 %." : "Write 0.02 for 2 percentage points." : "Write it in the metric's own unit."
  }),
  results_candidates_alike: ({ names }) => ({
    message: `the candidates ${names.map((name) => name === null ? "without a name" : quoted2(name)).join(" and ")} can't be told apart: blanks at the ends or between words are no difference, and one without a name is called 'recorded'`,
    hint: "Write one name for one candidate."
  }),
  results_row_too_large: ({ at, most }) => ({
    message: `${at}: the row is larger than ${most}`,
    hint: "Leave attachments and long logs out of the results: the answer, the question and the scores are enough."
  }),
  results_no_scores: () => ({
    message: "no row has a score that a rule could judge",
    hint: "Give the rows numbers: a column `score`, or name the columns with --metric."
  }),
  results_unfinished: ({ reason }) => ({
    message: `the eval is not whole: ${reason}`,
    hint: "A part of the results can't be judged: let the tool finish, or mend what stopped it."
  }),
  results_none: () => ({
    message: "it has no tests: no row was found",
    hint: "Did the tool run? Without cases nothing is measured, and nothing measured is never a pass."
  }),
  results_empty: () => ({
    message: "the file is empty",
    hint: "Did the tool run, and was its output copied whole?"
  }),
  results_no_files: ({ pattern }) => ({
    message: `no file matches '${pattern}'`,
    hint: "Does the step that writes the results come before this one? Paths are relative to the working directory, in a manifest to its folder."
  }),
  results_mixed: ({
    format,
    first,
    other
  }) => ({
    message: `it is a file of ${format}, and ${first} is one of ${other}`,
    hint: "Files given together are parts of one run. Gate each tool's results in a step of their own."
  }),
  results_many: ({ what, count: count2, most }) => ({
    message: `the results have ${count2} ${what}; a run has ${most} at most`,
    hint: "Give fewer files at once, or gate them in several steps."
  }),
  results_groups: ({
    found,
    known: known2
  }) => ({
    message: found === void 0 ? `the results have several groups, and the task does not say which one it is: ${known2.join(", ")}` : `the results have no group '${found}'; they have ${known2.join(", ") || "none"}`,
    hint: "Name one of them with `group` under `from`, in a task each."
  }),
  results_direction: ({ metric }) => ({
    message: `of the metric '${metric}' more is better in one file, and less in another`,
    hint: "Gate these files in steps of their own."
  }),
  results_flag_idle: ({ flag, why }) => ({
    message: `${flag} has no meaning with results that were recorded elsewhere: ${why}`,
    hint: "Leave it out."
  }),
  results_and_suites: () => ({
    message: "suites are run, and --results names results of another tool: both at once is no one run",
    hint: "Leave the manifests out, or name the results in a manifest, in a task's `from`."
  }),
  results_nothing_named: () => ({
    message: "neither a suite nor results are named",
    hint: "Name a manifest, or the results of another tool with --results FILE."
  }),
  results_flag_alone: ({ flag }) => ({
    message: `${flag} is about results of another tool, and none are named`,
    hint: "Name them with --results FILE; a manifest has its rules under `gate`."
  }),
  export_folder: ({ file }) => ({
    message: `${file} can't be written: its folder does not exist`,
    hint: "Make the folder first, or name another file."
  }),
  export_directory: ({ file }) => ({
    message: `${file} can't be written: it is a folder`,
    hint: "Name a file in it."
  }),
  export_metrics_missing: ({
    tool,
    missing
  }) => ({
    message: `the run can't be written as ${tool}'s files: it has no ${missing.join(", ")}`,
    hint: `${tool}'s files hold these scores and no others. Export a run that was graded with them.`
  }),
  results_direction_unknown: ({ metric, beside }) => ({
    message: `nothing says whether more is better for the metric '${metric}'`,
    hint: `lm-eval says it in ${beside}: keep that file beside this one.`
  }),
  results_key_idle: ({ key }) => ({
    message: `\`${key}\` means nothing to a task with \`from\`: its results are there already, and nothing is run or graded`,
    hint: "Leave it out."
  }),
  results_mixed_tasks: ({
    recorded,
    run
  }) => ({
    message: `${recorded.join(", ")} ${recorded.length === 1 ? "takes its" : "take their"} results \`from\` another tool, and ${run.join(", ")} ${run.length === 1 ? "is" : "are"} to be run: a suite does one of both`,
    hint: "Put them into suites of their own; the gate's comment shows both."
  }),
  results_baseline_from: ({ from }) => ({
    message: `\`from: ${from}\` runs or pools runs of the same input, and results of another tool can't be made again here`,
    hint: "Leave it out, or say `auto`: the base branch's last results are the baseline."
  }),
  results_input_alone: ({ input }) => ({
    message: `the input '${input}' is about results of another tool, and the input 'results' names none`,
    hint: "Name their files in `results`; a manifest has its rules under `gate`."
  }),
  results_input_idle: ({ input }) => ({
    message: `the input '${input}' means nothing beside 'results': nothing is run, and the rules are those of these inputs`,
    hint: "Leave it out, or name the results in a manifest, in a task's `from`."
  }),
  results_input_name: ({ found }) => ({
    message: `the input 'name' is ${JSON.stringify(found)}: letters, digits, dots, hyphens and underscores are allowed, 100 at most, a letter or digit first`
  }),
  results_input_limit: ({ input, found }) => ({
    message: `the input '${input}' is ${JSON.stringify(found)}, not a number${input === "min" ? "" : " from 0 on"}`,
    hint: "Write it in the metric's unit: 0.02 of a metric from 0 to 1 is two percentage points."
  }),
  results_duplicate: (found) => ({
    message: `${found.at}: the case '${found.id}' is there already, at ${found.first}`,
    hint: "An id names one case from run to run. Give each test its own, or count its repeats."
  }),
  results_overlap: (found) => ({
    message: `${found.at}: the case '${found.id}' is in ${found.first} too${found.count === 1 ? "" : `, and so are ${found.count - 1} more`}`,
    hint: "Files given together are parts of one run. To compare two runs, use `regrade compare BASE HEAD`."
  }),
  results_unknown: ({ known: known2 }) => ({
    message: "the tool that wrote the file can't be recognized",
    hint: `Name its format: ${known2.join(", ")}.`
  }),
  results_ambiguous: ({ formats }) => ({
    message: `it could be ${formats.join(" or ")}`,
    hint: "Name its format."
  }),
  results_column_missing: ({ key, column, known: known2, nearest }) => ({
    message: `\`from.columns.${key}\` names the column '${column}', which the file does not have`,
    hint: nearest === void 0 ? `Its columns are ${known2.slice(0, 20).join(", ")}${known2.length > 20 ? ", \u2026" : ""}.` : `Did you mean '${nearest}'?`
  }),
  results_fields_not_taken: ({ format }) => ({
    message: `columns can't be named for ${format}: the tool's own fields are read`,
    hint: "Name columns for jsonl and csv only."
  })
};
function quoted2(text) {
  return JSON.stringify(text);
}

// src/model/problems/run.ts
init_define_builtScripts();
var scarcities = /^(?:too many open files|file table overflow|resource temporarily unavailable|not enough memory)$/;
var runTexts = {
  import_no_suite: () => ({
    message: "this is no suite of the hosted product: it has no `manifest` with `tasks`, and no `tasks` itself",
    hint: "Export a suite version as JSON; the manifest alone will do."
  }),
  import_no_sample: () => ({
    message: "the line is no sample of the hosted product: it needs task_id, model and dataset_row",
    hint: "Export the run's samples as JSON lines, an object a line."
  }),
  import_files: ({ ids }) => ({
    message: `the suite names uploaded files, and their paths here are unknown: ${ids.join(", ")}`,
    hint: `Put them into the repository, and say where, relative to the manifest: ${ids.map((id) => `--file ${id}=PATH`).join(" ")}.`
  }),
  import_exists: ({ path }) => ({
    message: `${path} is there already, and is not written over`,
    hint: "Choose another --out, or move it away."
  }),
  rerun_other_input: ({ out }) => ({
    message: `the run in ${out} was made from other inputs than there are now: data, graders, candidates or settings have changed since`,
    hint: "Put them back as they were, or run the suite anew: two halves of different runs are no run."
  }),
  rerun_policy: ({ directory: directory2 }) => ({
    message: `the run in ${directory2} was judged by the policy of another tree (--policy-from), which is not kept with it`,
    hint: "Run the suite anew with --policy-from; answers that are in the cache are not asked for again."
  }),
  rerun_part: ({ directory: directory2 }) => ({
    message: `the run in ${directory2} is a shard, or reuses another run: its samples are incomplete`,
    hint: "Run the shard's job again, or the suite."
  }),
  rerun_attempts: ({ directory: directory2 }) => ({
    message: `the run in ${directory2} holds the samples of several attempts at a workflow run`,
    hint: "Re-run the job on GitHub: it asks again for what has no grade, and adds one more sample of every other case."
  }),
  no_latest_run: ({ folder, suite, isWhole }) => ({
    message: `${folder}/runs has no ${isWhole ? "completed run of all cases" : "finished run"}${suite === void 0 ? "" : ` of the suite '${suite}'`}`,
    hint: "Runs with --out are not looked for: name their directory."
  }),
  history_empty: ({ folder, suites, nearest, known: known2 }) => ({
    message: `${folder} has no finished run of a suite called ${suites.map((name) => `'${name}'`).join(" or ")}, and no folder has that name`,
    hint: nearest === void 0 ? known2.length === 0 ? "It has no finished run at all. Name a folder that holds runs." : `It has runs of ${firstOf(known2)}.` : `Did you mean '${nearest}'?`
  }),
  out_in_use: ({ out }) => ({
    message: `the output directory ${out} is not empty`,
    hint: "Choose another --out, empty this one, or add --resume to continue the run in it."
  }),
  stopped_early: () => ({
    message: "stopped before the first sample: nothing was run, and nothing is left behind"
  }),
  out_is_file: ({ out }) => ({
    message: `the output directory ${out} can't be made: a file has that name`,
    hint: "Choose another --out."
  }),
  resume_other_input: ({ out }) => ({
    message: `the run in ${out} was started with other inputs (suite, data, graders or candidates changed since)`,
    hint: "Start a new run in another --out; a resumed run must answer the same question."
  }),
  resume_none: ({ folder }) => ({
    message: `no run with these inputs was interrupted in ${folder}/runs`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one. A run can't be resumed if its suite, data, graders or candidates have changed."
  }),
  resume_nothing: ({ out }) => ({
    message: `there is no run in ${out} to resume`,
    hint: "Name the directory of an interrupted run with --out, or leave --resume out to start one."
  }),
  out_busy: ({ out, pid }) => ({
    message: `${pid === 0 ? "another process" : `process ${pid}`} is running in ${out}`,
    hint: "Wait for it to end, or choose another --out."
  }),
  journal_damaged: ({ reason }) => ({
    message: `not a sample of Regrade: ${reason}`,
    hint: "A torn last line is dropped on its own; a damaged line before it is not ours to guess. Mend or remove the line."
  }),
  run_encrypted: () => ({
    message: "the run has not ended, and its samples are encrypted until then, because its candidates could read the answers in them",
    hint: "Wait for its end. If it was killed, the same command with --resume continues it."
  }),
  decryption_failed: () => ({
    message: "the line can't be decrypted: the data sets that its key is made from have changed, or the line was edited",
    hint: "Put the data sets back as they were, or start a new run in another --out."
  }),
  resume_finished: ({ out }) => ({
    message: `the run in ${out} is complete`,
    hint: "Read it with 'regrade report', or start a new run in another --out."
  }),
  write_failed: ({ file, reason }) => ({
    message: `can't write ${file}: ${reason}`,
    hint: "Free some space or choose another --out. What was written before is kept; --resume continues from it."
  }),
  working_directory_gone: () => ({
    message: "the folder that Regrade was started in is no longer there",
    hint: "Change to a folder that is there, and start it again."
  }),
  temporary_failed: ({
    folder,
    variable = "TMPDIR",
    reason
  }) => ({
    message: `can't write temporary files in ${folder}: ${reason}`,
    hint: `Free some space there, or set ${variable} to a folder that you can write to.`
  }),
  output_failed: ({ reason }) => ({
    message: `can't write to standard output: ${reason}`,
    hint: "Free some space, or send the output elsewhere. A run that ended is whole in its directory: 'regrade report' prints it."
  }),
  budget_blind: ({ unit, candidates }) => ({
    message: `\`budget.${unit}\` does not end the run for what ${candidates.join(", ")} may spend: it reports no ${unit === "usd" ? "dollars" : "tokens"} to Regrade`,
    hint: "Give `budget.minutes` too, or for an agent `budget.tokens`; a worker may report its `usage`."
  }),
  budget_price_unknown: (found) => ({
    message: `no price is known for ${found.model}, so that a budget in dollars can't hold`,
    hint: `Add its price in dollars per million tokens, providers: { ${found.provider}: { prices: { "${found.name}": { input: \u2026, output: \u2026 } } } }, or give the budget in tokens.`
  }),
  manifest_missing: ({ path }) => ({
    message: `no such suite: ${path}`,
    hint: "Check the path; a relative one starts at the folder that Regrade was started in (in the action: at its input 'working-directory')."
  }),
  manifest_is_directory: ({ path }) => ({
    message: `${path} is a directory; a suite is a YAML or JSON file`,
    hint: "Name the file in it."
  }),
  file_missing: ({ file }) => ({
    message: `no such file: ${file}`
  }),
  read_failed: ({ file, reason }) => ({
    message: `can't read ${file}: ${reason}`
  }),
  run_missing: ({
    directory: directory2,
    inside,
    nowhere
  }) => ({
    message: nowhere === void 0 ? `${directory2} holds no run: it has no run.json` : `there is no folder ${directory2}`,
    hint: nowhere ? `Did you mean '${nowhere}'?` : inside === void 0 || inside.length === 0 ? "Name a directory that 'regrade run --out' wrote; a run that was interrupted is ended with --resume." : `It holds runs in folders of their own. Name one of these: ${firstOf(inside)}.`
  }),
  run_unreadable: ({ reason }) => ({
    message: `not a run that Regrade can read: ${reason}`,
    hint: "Make it again with 'regrade run --out'."
  }),
  baseline_missing: ({ suite, path }) => ({
    message: "the baseline that gate.baseline.path names does not exist",
    hint: `Make it from a version that you trust: regrade run ${suite} --baseline none --out ${path}`
  }),
  baseline_selected: ({ source }) => ({
    message: `the run ${source} is no baseline: only some of its cases were run (--case, --failed)`,
    hint: "Name a run of all cases; make one with 'regrade run SUITE'."
  }),
  baseline_unfinished: ({ source, status }) => ({
    message: `the run ${source} is no baseline: it was stopped before its end (status ${status})`,
    hint: "Finish it with --resume, or name a run that is complete."
  }),
  pool_same_run: ({ one, other, id }) => ({
    message: `${one} and ${other} are the same run (${id}): together they tell no more than one of them`,
    hint: "Name runs that were made one after the other."
  }),
  pool_other_input: ({ one, other }) => ({
    message: `${one} and ${other} are no repetitions of one run: their tasks, candidates or settings differ`,
    hint: "Runs that are taken together as a baseline have the same input_hash in run.json; name only such, or one of them."
  }),
  run_other_format: ({ found, known: known2 }) => ({
    message: `this run has the format ${found}; this version of Regrade reads ${known2}`,
    hint: "Make the run again with this version, or compare with the version that made it."
  }),
  run_of_other_suite: ({
    directory: directory2,
    suite,
    name
  }) => ({
    message: `${directory2} is a run of the suite ${name}, not of ${suite}`,
    hint: `Leave --suite out, or give --suite ${name}.`
  }),
  python_missing: ({ python, reason }) => ({
    message: `can't start Python (${python}): ${reason}`,
    hint: scarcities.test(reason) ? "The machine allows no more: raise the limit (`ulimit -n` for open files, `ulimit -u` for processes), or end other programs." : "Install Python 3.10 or newer, or name an interpreter with --python (the action's input 'python')."
  }),
  python_old: ({ python, version }) => ({
    message: `${python} is Python ${version}; Regrade needs 3.10 or newer`,
    hint: "Name a newer interpreter with --python (the action's input 'python')."
  }),
  grader_runs_text: ({ where }) => ({
    message: `the grader can run text (${where}), so each sample is graded in its own process: an answer can't change another one's scores`,
    hint: "This takes some milliseconds per sample. Write 'isolation: sample' to confirm it, or 'isolation: chunk' if no answer is ever executed."
  }),
  grader_runs_text_together: ({ where }) => ({
    message: `the grader can run text (${where}), and 'isolation: chunk' grades up to 256 samples in one process: an answer that is run can forge the scores of the others`,
    hint: "Remove 'isolation: chunk', or write 'isolation: sample'; keep it only if no answer is ever executed."
  }),
  batch_runs_text: ({ where }) => ({
    message: `the batch grader can run text (${where}), and sees all samples of a task in one process: an answer that is run can forge the scores of the others`,
    hint: "Grade what runs answers with 'contract: sample', each in a process of its own."
  }),
  cache_left_over: ({ path, folder }) => ({
    message: `${path} holds answers that an earlier version of Regrade kept: they are not read any more, as a change could bring such a folder with it`,
    hint: `Delete it. Answers are cached in ${folder}; --cache-path (the input cache-path) changes that.`
  }),
  sandbox_partial: ({ level, missing }) => ({
    message: `graders are not fully held here (sandbox: ${level}): ${missing}`,
    hint: "'regrade doctor' lists this machine's protections; --sandbox required refuses to run with fewer."
  })
};
var directoriesNamed = 8;
function firstOf(directories) {
  const more = directories.length - directoriesNamed;
  const named = directories.slice(0, directoriesNamed).join(", ");
  return more > 0 ? `${named} and ${more} more` : named;
}

// src/model/problems/shard.ts
init_define_builtScripts();
var shardTexts = {
  shard_invalid: ({ name, found, most }) => ({
    message: `${name} is ${JSON.stringify(found)}, and not a shard`,
    hint: `Write I/N, counted from 1: 2/4 is the second of four. N is at most ${most}.`
  }),
  baseline_is_shard: ({ source, shard }) => ({
    message: `the run ${source} is no baseline: it is shard ${shard} of a run, and lacks the other cases`,
    hint: "Join the shards with 'regrade merge', and name the run that it writes."
  }),
  merge_no_shard: ({ directory: directory2 }) => ({
    message: `${directory2} is a whole run, and no shard of one`,
    hint: "Name the directories that 'regrade run --shard I/N' wrote."
  }),
  merge_unfinished: (found) => ({
    message: `shard ${found.shard} (${found.directory}) was stopped before its end (status ${found.status})`,
    hint: "Finish it (on GitHub: re-run the failed jobs; on a terminal: --resume), then merge again."
  }),
  merge_missing: ({ missing, of }) => ({
    message: `${plural(missing.length, "shard")} ${missing.join(", ")} of ${of} ${missing.length === 1 ? "is" : "are"} missing: without ${missing.length === 1 ? "it" : "them"} nothing is judged`,
    hint: "Run it, or name its directory too. On GitHub: re-run the failed jobs."
  }),
  merge_twice: (found) => ({
    message: `shard ${found.shard} is there twice: ${found.directories.join(" and ")}`,
    hint: "Name each shard once. In a matrix with another dimension, give each of its rows a suite name or a merge of its own."
  }),
  merge_other: (found) => ({
    message: `the shards are not of one run: the ${found.what} is ${found.one} in ${found.directories[0]} and ${found.other} in ${found.directories[1]}`,
    hint: "Run all shards on the same commit with the same inputs, and merge those."
  }),
  merge_other_suite: ({ what, suite }) => ({
    message: `${suite} is not the suite that the shards ran: ${what} differ`,
    hint: "Check out the commit that the shards ran on, and merge in the folder where they were started."
  }),
  merge_sample_missing: (found) => ({
    message: `shard ${found.shard} (${found.directory}) lacks a sample of its part of the plan: ${found.task}, case ${found.caseId}, candidate ${found.candidate}`,
    hint: "Run that shard again: a run with a hole in it is not judged."
  }),
  merge_too_many: (found) => ({
    message: `shard ${found.shard} (${found.directory}) has ${found.found} samples, and its part of the plan ${found.planned}`,
    hint: "Run that shard again."
  }),
  merge_policy_needed: ({ source }) => ({
    message: `the shards are to be judged by the policy of ${source} too, and no policy was named for the merge`,
    hint: `Merge with --policy-from ${source}.`
  }),
  merge_policy_not_run: ({ source }) => ({
    message: `the shards were run without --policy-from, and can't be judged by the policy of ${source} now`,
    hint: "Run the shards with the same --policy-from, or merge without it."
  }),
  shards_no_service: () => ({
    message: "mode 'merge' needs the artifacts of the shards, and this machine offers no artifact service",
    hint: "GitHub Enterprise Server and act without a server have none: pass on the run directories by other means and use 'regrade merge'."
  }),
  shards_not_fetched: ({ reason }) => ({
    message: `the shards of this workflow run can't be fetched, and nothing is judged without them: ${reason}`,
    hint: "Re-run the failed jobs."
  }),
  shards_missing: ({
    manifest,
    others
  }) => ({
    message: `no job of this workflow run has uploaded a shard of ${manifest}${others.length === 0 ? "" : `; there are shards of ${others.join(", ")}`}`,
    hint: "The jobs of the matrix need the same 'suite' and 'working-directory' as this one, and 'shard: I/N'. If they failed, re-run them."
  }),
  shard_and_mode: ({ mode }) => ({
    message: `the input 'shard' and 'mode: ${mode}' exclude each other`,
    hint: "The jobs of the matrix have 'shard: I/N' and no mode; the one that joins them has 'mode: merge'."
  }),
  merge_chooses_nothing: () => ({
    message: "the inputs that choose what is run ('candidates', 'tasks', 'max-samples', 'model' and the like) choose nothing in 'mode: merge'",
    hint: "The shards have chosen. Take them out here."
  }),
  resume_not_noted: ({ reason }) => ({
    message: `the step's state was not written: ${reason}`,
    hint: "A re-run of this job begins anew: it does not know what this attempt showed."
  }),
  attempts_unread: ({ manifest, reason }) => ({
    message: `${manifest}: what earlier attempts of this workflow run showed is not known: ${reason}`,
    hint: "The run begins anew, and does not pass: a re-run adds to them. Re-run again, or push a commit."
  })
};

// src/model/problems/sygra.ts
init_define_builtScripts();
var runThere = "Run the task with SyGra, and gate what it recorded: regrade run --results output.json --format sygra.";
function oneOf(words) {
  return words.length === 0 ? "there is none" : `there are ${words.join(", ")}`;
}
function suggestionOr(suggestion, otherwise) {
  return suggestion === void 0 ? otherwise : `Did you mean ${suggestion}?`;
}
var sygraTexts = {
  sygra_text_missing: ({ key }) => ({
    message: `\`${key}\` is missing, or is not a text`,
    hint: "SyGra needs it too: docs/sygra.md shows a whole task."
  }),
  sygra_key_unsupported: ({
    key,
    what,
    known: known2
  }) => ({
    message: `\`${key}\` of ${what} is not taken here; ${oneOf(known2)}`,
    hint: `Leave it out, or: ${runThere}`
  }),
  sygra_node_unsupported: ({ name, what }) => ({
    message: `the node ${JSON.stringify(name)} is ${what}: a task that is run here asks one model, and judges its answer in lambda nodes`,
    hint: runThere
  }),
  sygra_node_missing: ({ type }) => ({
    message: `the graph has no node with node_type: ${type}`,
    hint: runThere
  }),
  sygra_edge_branches: ({ name }) => ({
    message: `the graph branches after the node ${JSON.stringify(name)}: a task that is run here goes from one node to the next`,
    hint: runThere
  }),
  sygra_llm_code: ({ key }) => ({
    message: `\`${key}\` of the model's node is not run here`,
    hint: `Let the model answer in a structured_output, whose field is taken by its name; or: ${runThere}`
  }),
  sygra_outputs_of_model: ({ count: count2 }) => ({
    message: `\`output_keys\` of the model's node names ${count2} fields; its answer is one`,
    hint: runThere
  }),
  sygra_output_not_in_answer: ({
    field,
    fields
  }) => ({
    message: `\`output_keys\` names ${field}, and structured_output has no such field; ${oneOf(fields)}`,
    hint: "Give the field of the answer the name of the output key."
  }),
  sygra_output_missing: ({
    name,
    keys,
    suggestion
  }) => ({
    message: `the result of ${name} is lost: \`output_keys\` does not name it; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, `Add ${name} to output_keys.`)
  }),
  sygra_unit_twice: ({ name }) => ({
    message: `the unit metric ${name} is there twice, and its result is one field`,
    hint: "Keep one of them (SyGra keeps the last)."
  }),
  sygra_registered_twice: ({ name, files }) => ({
    message: `several files register ${name}: ${files.join(", ")}; the first is used`,
    hint: "Give each class a name of its own in its decorator."
  }),
  sygra_file_missing: ({ path }) => ({
    message: `no such file: ${path}`,
    hint: "The path starts at the folder that holds `tasks`."
  }),
  sygra_column_missing: ({
    field,
    columns
  }) => ({
    message: `'${field}' not found in output columns: output_config.output_map does not map it; ${oneOf(columns)}`,
    hint: `Add to output_map: ${field}: { from: ${field} }.`
  }),
  sygra_results_unknown: ({ field, keys, suggestion }) => ({
    message: `unit_metrics_results field '${field}' not found: no lambda node has it among its output_keys; ${oneOf(keys)}`,
    hint: suggestionOr(suggestion, "Name one of the output_keys.")
  }),
  sygra_name_unknown: ({ what, name, known: known2, suggestion }) => ({
    message: `there is no ${what} ${JSON.stringify(name)}; ${oneOf(known2)}`,
    hint: suggestionOr(
      suggestion,
      "One of your own is found by its decorator: beside the task, or in SyGra's folder of metrics."
    )
  }),
  sygra_class_missing: ({ path, file }) => ({
    message: `${path} is not there: there is no file ${file}`,
    hint: "The path is that of the module and the class, from the folder that holds `tasks`."
  }),
  sygra_previous_output: () => ({
    message: "`use_previous_output` is not run here: every post-processor is given the records of the run",
    hint: runThere
  }),
  sygra_sources_several: () => ({
    message: "a task with several data sources is not run here",
    hint: `Write one file with all rows, or: ${runThere}`
  }),
  sygra_splits_several: () => ({
    message: "a data source with several splits is not run here",
    hint: "Name one split."
  }),
  sygra_source_unknown: ({ type, known: known2 }) => ({
    message: `a data source of type ${JSON.stringify(type)} is not run here; ${oneOf(known2)}`,
    hint: runThere
  }),
  sygra_format_unknown: ({
    format,
    known: known2
  }) => ({
    message: `files of the format ${JSON.stringify(format)} are not read; ${oneOf(known2)}`,
    hint: "Convert the file to JSON lines."
  }),
  sygra_transform_unsupported: ({ name }) => ({
    message: `the transformation ${JSON.stringify(name)} is not run here; there are RenameFieldsTransform and AddNewFieldTransform`,
    hint: `Change the data set beforehand, or: ${runThere}`
  }),
  sygra_prompt_unsupported: ({ what }) => ({
    message: `the prompt holds ${what}: here it is one text of the user, and one of the system without fields`,
    hint: runThere
  }),
  sygra_schema_unsupported: () => ({
    message: "`structured_output.schema` is supported only with `fields`, not as a class",
    hint: "Write the fields with their types, or leave structured_output out."
  }),
  sygra_parameter_unknown: ({ key, known: known2 }) => ({
    message: `the parameter \`${key}\` of a model is not taken here; ${oneOf(known2)}`,
    hint: "Leave it out, or give the candidate yourself under `regrade: { candidates: \u2026 }`."
  }),
  sygra_model_kind: ({
    name,
    kind,
    known: known2
  }) => ({
    message: `the model ${name} is of model_type ${kind}, which is not asked here; ${oneOf(known2)}`,
    hint: "Give the candidate yourself under `regrade: { candidates: \u2026 }`."
  }),
  sygra_model_unknown: ({ name, variable }) => ({
    message: `no address is given for the model ${name}`,
    hint: `Set ${variable}_URL (and ${variable}_TOKEN), as SyGra has it; or give the candidate yourself: regrade: { candidates: { model: "openai:gpt-5.4-mini" } }.`,
    missing: `${variable}_URL`
  })
};

// src/model/problems/waza.ts
init_define_builtScripts();
var page2 = "docs/waza.md lists the keys of a waza file.";
function listed2(words) {
  return words.length === 0 ? "there is none" : `there are ${words.join(", ")}`;
}
var wazaTexts = {
  waza_value: ({ key, expected }) => ({
    message: `\`${key}\` must be ${expected}`,
    hint: page2
  }),
  waza_key_unknown: ({ key, what, known: known2, suggestion }) => ({
    message: `${what} has no key \`${key}\`; ${listed2(known2)}`,
    hint: suggestion === void 0 ? "Remove it: an unknown key checks nothing." : `Did you mean ${suggestion}?`
  }),
  waza_key_idle: ({ key, why }) => ({
    message: `\`${key}\` changes nothing: ${why}`,
    hint: page2
  }),
  waza_unsupported: ({ what, way }) => ({
    message: `${what} is not run here`,
    hint: way
  }),
  waza_grader_unknown: ({
    type,
    known: known2,
    suggestion
  }) => ({
    message: `there is no grader of the type ${JSON.stringify(type)}; ${listed2(known2)}`,
    hint: suggestion === void 0 ? "A grader of your own is a Python file: docs/waza.md shows how Go's interface becomes grade(sample, item)." : `Did you mean ${suggestion}?`
  }),
  waza_check_empty: ({ grader, keys }) => ({
    message: `the grader ${JSON.stringify(grader)} checks nothing, and would always pass`,
    hint: `Give its config ${keys.join(", ")}.`
  }),
  waza_name_taken: ({ name }) => ({
    message: `two graders of one task are called ${JSON.stringify(name)}: waza keeps the result of the last one alone`,
    hint: "Give each a name of its own; names that differ in other characters than letters, digits, _ and - are one."
  }),
  waza_tasks_missing: ({ patterns }) => ({
    message: `no task file matches ${patterns.map((each) => JSON.stringify(each)).join(", ")}`,
    hint: "The patterns of `tasks` start at this file's folder; ** means one folder, as in waza."
  }),
  waza_tasks_none: () => ({
    message: "there is no task to run: all are switched off, or the list is empty",
    hint: "Give a task `enabled: true`."
  }),
  waza_task_ungraded: ({ task }) => ({
    message: `the task ${JSON.stringify(task)} has no grader: nothing of its answer is checked`,
    hint: "Give the file, or the task, `graders`."
  }),
  waza_task_twice: ({ id, renamed }) => ({
    message: `two tasks have the id ${JSON.stringify(id)}; this one is ${JSON.stringify(renamed)} here`,
    hint: "Give each task an id of its own, so that runs can be compared."
  }),
  waza_file_missing: ({ path, reason }) => ({
    message: `the file ${JSON.stringify(path)} is left out: ${reason}`,
    hint: "waza leaves it out, too, and reports it only in its log. Files belong in `fixtures` next to the eval file."
  }),
  waza_file_unusable: ({ path, reason }) => ({
    message: `${path} can't be used: ${reason}`,
    hint: page2
  }),
  waza_csv: ({ reason }) => ({
    message: `the CSV file of \`tasks_from\` can't be used: ${reason}`,
    hint: "Its first row names the columns; id, name and prompt have a meaning."
  }),
  waza_template: ({ template, reason }) => ({
    message: `the template ${JSON.stringify(template)} can't be filled: ${reason}`,
    hint: "There are {{.Vars.NAME}} for columns and inputs, {{.TaskName}}, {{.Iteration}} and {{.Attempt}}."
  }),
  waza_era: ({ era, why }) => ({
    message: `the file is read as one for waza ${era}: ${why}`,
    hint: "docs/waza.md says what each version means by the same keys."
  }),
  waza_metrics_idle: ({ names }) => ({
    message: `waza computes no metric but trigger_accuracy: ${names.join(", ")} changes nothing`,
    hint: "Every grader of every task must pass; for other rules write a manifest with `uses:` this file and a `gate`."
  }),
  waza_skills_missing: ({
    names,
    found
  }) => ({
    message: `required skills are not found: ${names.join(", ")}; in skill_directories ${listed2(found)}`,
    hint: "Each folder of `skill_directories` holds a SKILL.md itself, whose front matter has the skill's name."
  }),
  waza_vally: () => ({
    message: "the file is Vally's: it has `stimuli`, and Vally's suites are not read",
    hint: "Write a manifest for it (docs/suite.md), or gate what Vally recorded as CSV or JSON lines."
  })
};

// src/model/refusal.ts
var texts = {
  __proto__: null,
  ...baselineTexts,
  ...calibrateTexts,
  ...candidateTexts,
  ...commandTexts,
  ...datasetTexts,
  ...extractionTexts,
  ...foreignTexts,
  ...gateTexts,
  ...graderTexts,
  ...initTexts,
  ...kEvalTexts,
  ...manifestTexts,
  ...modelTexts,
  ...platformTexts,
  ...policyTexts,
  ...preprocessTexts,
  ...providerTexts,
  ...remoteTexts,
  ...resultTexts,
  ...runTexts,
  ...shardTexts,
  ...sygraTexts,
  ...wazaTexts
};
var table2 = texts;
function problem(code, found, place) {
  const { message, hint, missing, more } = table2[code](found);
  return {
    code,
    message,
    hint,
    place,
    ...missing !== void 0 && { missing },
    ...more !== void 0 && { more }
  };
}
var Refusal = class extends Error {
  problems;
  /** 2: the user can fix the input. 4: the environment failed (a full disk, for example). 130: the user stopped it. */
  exit;
  constructor(problems, options2 = {}) {
    const all = "code" in problems ? [problems] : problems;
    super(all.map(formatProblem).join("\n"), { cause: options2.cause });
    this.name = "Refusal";
    this.problems = all;
    this.exit = options2.exit ?? 2;
  }
};
function formatProblem({ message, hint, place }) {
  const where = place && [place.file, place.line, place.column].filter((part) => part !== void 0);
  const head = [where?.join(":"), place?.path].filter((part) => part !== void 0 && part !== "");
  const text = [...head, message].join(": ");
  return hint === void 0 ? text : `${text}
  ${hint}`;
}

// src/github/artifacts/artifact-download.ts
init_define_builtScripts();
import { createHash } from "node:crypto";
import { createWriteStream as createWriteStream2 } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable, Transform as Transform2 } from "node:stream";
import { pipeline as pipeline2 } from "node:stream/promises";

// src/github/artifacts/unzip.ts
init_define_builtScripts();
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
async function unzipBounded(zip, folder, bounds2) {
  const files = [];
  try {
    const file = await openZip(zip);
    try {
      const entries = await listEntries(file, bounds2);
      const gate = createGate(bounds2);
      for (const entry of entries) {
        const name = nameOf(entry, bounds2);
        if (entry.fileName.endsWith("/") || isSpecial(entry) || !bounds2.wanted(name)) continue;
        await extract(entry, { file, path: join(folder, name), gate });
        files.push(name);
      }
    } finally {
      file.close();
    }
    return { kind: "unzipped", files };
  } catch (cause) {
    if (cause instanceof Refused) return { kind: "refused", reason: cause.message };
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { kind: "refused", reason: `it can't be unzipped: ${reason}` };
  }
}
var Refused = class extends Error {
};
async function openZip(zip) {
  const { openPromise } = await Promise.resolve().then(() => __toESM(require_yauzl(), 1));
  return openPromise(zip, {
    autoClose: false,
    lazyEntries: true,
    validateEntrySizes: true,
    strictFileNames: true
  });
}
async function listEntries(file, bounds2) {
  if (file.entryCount > bounds2.mostEntries)
    throw new Refused(`it has ${file.entryCount} files, and ${bounds2.mostEntries} are allowed`);
  const entries = [];
  const names = /* @__PURE__ */ new Set();
  for await (const entry of file.eachEntry()) {
    const name = nameOf(entry, bounds2);
    if (names.has(name.toLowerCase()))
      throw new Refused(`two of its files are called ${quoted3(name)}`);
    names.add(name.toLowerCase());
    entries.push(entry);
  }
  return entries;
}
var fileType = 61440;
var regular = 32768;
var directory = 16384;
function nameOf(entry, { mostFolders, links }) {
  const name = entry.fileName.replace(/\/$/, "");
  const parts = name.split("/");
  const isBad = /[\\:\p{Cc}]/u.test(name) || parts.some((part) => /^(?:\.{0,2}|\s.*|.*[\s.])$/.test(part));
  if (isBad || name.length > 400) throw new Refused(`it has a file with the name ${quoted3(name)}`);
  if (parts.length - 1 > mostFolders)
    throw new Refused(`it has a file in a folder, ${quoted3(name)}`);
  if (links !== "left" && isSpecial(entry))
    throw new Refused(`${quoted3(name)} is a link or something else that is no file`);
  if (entry.isEncrypted()) throw new Refused(`${quoted3(name)} is encrypted`);
  return name;
}
function isSpecial({ externalFileAttributes }) {
  const type = externalFileAttributes >>> 16 & fileType;
  return type !== 0 && type !== regular && type !== directory;
}
function quoted3(name) {
  return JSON.stringify(name.slice(0, 100));
}
function createGate({ mostBytes, mostDepth }) {
  let total = 0;
  return (name) => {
    const depth = mostDepth !== void 0 && /\.jsonl?$/.test(name) ? depthMeter() : void 0;
    return (chunk) => {
      total += chunk.length;
      if (total > mostBytes)
        throw new Refused(`it holds more than ${Math.round(mostBytes / 1e6)} MB`);
      if (depth !== void 0 && depth(chunk) > (mostDepth ?? 0))
        throw new Refused(`${quoted3(name)} is nested deeper than ${mostDepth} levels`);
    };
  };
}
function depthMeter() {
  let [depth, deepest, inString, escaped] = [0, 0, false, false];
  return (chunk) => {
    for (const byte of chunk) {
      if (escaped) escaped = false;
      else if (inString) {
        if (byte === 92) escaped = true;
        else if (byte === 34 || byte === 10) inString = false;
      } else if (byte === 34) inString = true;
      else if (byte === 91 || byte === 123) deepest = Math.max(deepest, depth += 1);
      else if (byte === 93 || byte === 125) depth = Math.max(0, depth - 1);
    }
    return deepest;
  };
}
async function extract(entry, { file, path, gate }) {
  const pass = gate(entry.fileName);
  const meter = new Transform({
    transform(chunk, _encoding, done) {
      try {
        pass(chunk);
        done(null, chunk);
      } catch (cause) {
        done(cause instanceof Error ? cause : new Error(String(cause)));
      }
    }
  });
  await mkdir(dirname(path), { recursive: true });
  const stream = await file.openReadStreamPromise(entry);
  await pipeline(stream, meter, createWriteStream(path, { flags: "wx", mode: 420 }));
}

// src/github/artifacts/artifact-download.ts
var timeoutSeconds = 300;
async function downloadArtifact(asked, { request, repository }) {
  const { bytes, mostZipBytes: mostZipBytes2, folder } = asked;
  if (bytes > mostZipBytes2) return tooLarge(mostZipBytes2);
  const { data } = await request(
    "GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}",
    {
      ...repository,
      artifact_id: asked.id,
      archive_format: "zip",
      request: { parseSuccessResponseBody: false, timeoutSeconds }
    }
  );
  const zip = `${folder}.zip`;
  try {
    const saved = await save(data, zip, mostZipBytes2);
    if (saved === void 0) return tooLarge(mostZipBytes2);
    if (asked.digest !== void 0 && saved !== asked.digest)
      return {
        kind: "refused",
        reason: "its bytes are not those that were uploaded (the digest differs)"
      };
    return await unzipBounded(zip, folder, asked.bounds);
  } finally {
    await rm(zip, { force: true });
  }
}
function tooLarge(mostZipBytes2) {
  const limit = Math.round(mostZipBytes2 / 1e6);
  return { kind: "refused", reason: `it is larger than ${limit} MB` };
}
async function save(body, path, most) {
  if (!(body instanceof ReadableStream)) throw new TypeError("the answer has no body");
  const hash = createHash("sha256");
  let total = 0;
  const meter = new Transform2({
    transform(chunk, _encoding, done) {
      total += chunk.length;
      hash.update(chunk);
      done(total > most ? new TooLarge() : null, chunk);
    }
  });
  try {
    await pipeline2(Readable.from(chunksOf(body)), meter, createWriteStream2(path));
  } catch (cause) {
    if (cause instanceof TooLarge) return void 0;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw Object.assign(new Error(`the download broke off: ${message}`, { cause }), {
      status: 500
    });
  }
  return `sha256:${hash.digest("hex")}`;
}
var TooLarge = class extends Error {
};
async function* chunksOf(body) {
  for await (const chunk of body) {
    if (chunk instanceof Uint8Array) yield Buffer.from(chunk);
  }
}

// src/github/api/github.ts
init_define_builtScripts();

// src/github/api/pace.ts
init_define_builtScripts();
var production = {
  retryMilliseconds: 1e3,
  writes: void 0,
  timeoutSeconds: (seconds) => seconds,
  pauseMilliseconds: (milliseconds) => milliseconds
};
var shortestTimeoutSeconds = 100;
function githubPace(env) {
  const factor = Number(env["REGRADE_TEST_GITHUB_PACE"] ?? "");
  if (!(factor > 0 && factor < 1)) return production;
  return {
    retryMilliseconds: 1e3 * factor,
    writes: { each: 1e3 * factor, notifying: 3e3 * factor },
    timeoutSeconds: (seconds) => Math.min(seconds, Math.max(seconds, shortestTimeoutSeconds) * factor),
    pauseMilliseconds: (milliseconds) => milliseconds * factor
  };
}

// src/github/api/wait-budget.ts
init_define_builtScripts();
import { AsyncLocalStorage } from "node:async_hooks";
var longestWaitSeconds = { decide: 600, tell: 60 };
function createWaitBudget({ retryMilliseconds }) {
  const counts = { decide: createCount(), tell: createCount() };
  const now = () => performance.now() / retryMilliseconds;
  const left = (purpose) => Math.max(0, longestWaitSeconds[purpose] - counts[purpose].seconds);
  return {
    left,
    mayWait: (purpose, seconds) => {
      const from = now();
      const added = uncounted(counts[purpose], from, from + seconds);
      if (added > left(purpose) + roundingSeconds) return false;
      count(counts[purpose], from, from + seconds);
      return true;
    },
    waited: (purpose, seconds) => {
      const to = now();
      count(counts[purpose], to - seconds, to);
    }
  };
}
var roundingSeconds = 1e-3;
function createCount() {
  return { seconds: 0, until: -Infinity };
}
function uncounted({ until }, from, to) {
  return Math.max(0, to - Math.max(from, until));
}
function count(known2, from, to) {
  known2.seconds += uncounted(known2, from, to);
  known2.until = Math.max(known2.until, to);
}
var purposes = new AsyncLocalStorage();
function withPurpose(purpose, work) {
  return purposes.run(purpose, work);
}
function currentPurpose() {
  return purposes.getStore() ?? "tell";
}

// src/github/api/traffic.ts
init_define_builtScripts();
var retries = 2;
var doNotRetry = [400, 401, 403, 404, 409, 410, 422, 429, 451];
var usualTimeoutSeconds = 15;
var briefTimeoutSeconds = 5;
var promptSeconds = 2;
var mostWaits = 10;
function createGitHubTraffic(options2) {
  const waitBudget = createWaitBudget(options2.pace);
  const state = { ...options2, waitBudget, down: /* @__PURE__ */ new Set(), count: 0 };
  return {
    count: () => state.count,
    waited: (seconds) => waitBudget.waited("tell", seconds),
    wentDown: (purpose) => void state.down.add(purpose),
    mayWait: (seconds, ...[call, , waits]) => waits < mostWaits && mayWait(seconds, purposeOf(call), state),
    calls: ({ hook }) => {
      hook.before("request", ({ request }) => {
        request["purpose"] = currentPurpose();
      });
      return {};
    },
    tries: ({ hook }) => {
      hook.wrap("request", (request, call) => tryOnce(async () => request(call), call, state));
      return {};
    }
  };
}
function mayWait(seconds, purpose, { signal, waitBudget, warn }) {
  if (signal.aborted) return false;
  const isGranted = waitBudget.mayWait(purpose, seconds);
  const found = { seconds, most: longestWaitSeconds[purpose] };
  warn(isGranted ? problem("github_waits", found) : problem("github_waits_no_more", found));
  return isGranted;
}
async function tryOnce(request, call, state) {
  const { waitBudget, pace } = state;
  const purpose = purposeOf(call);
  const isDown = state.down.has(purpose);
  if (isDown && waitBudget.left(purpose) === 0) throw givenUp(purpose);
  state.count += 1;
  if (isDown) call.request["retries"] = 0;
  const seconds = secondsFor(call, state);
  const timeout = AbortSignal.timeout(Math.ceil(pace.timeoutSeconds(seconds) * 1e3));
  call.request["signal"] = timeout;
  const from = performance.now();
  try {
    const response = await request();
    refuseText(response, call);
    return response;
  } catch (cause) {
    if (timeout.aborted) waitBudget.waited(purpose, seconds);
    if (!mayTryAgain(cause, call, waitBudget)) call.request["retries"] = 0;
    throw cause;
  } finally {
    const late = (performance.now() - from) / 1e3 - promptSeconds;
    if (purpose === "tell" && late > 0 && !timeout.aborted) waitBudget.waited(purpose, late);
  }
}
function purposeOf(call) {
  const request = "request" in call ? call.request : void 0;
  const isObject = typeof request === "object" && request !== null;
  return isObject && "purpose" in request && request.purpose === "decide" ? "decide" : "tell";
}
function secondsFor(call, { down, waitBudget, timeoutSeconds: timeoutSeconds2 = usualTimeoutSeconds }) {
  const purpose = purposeOf(call);
  const usual = numberOr(call.request["timeoutSeconds"], timeoutSeconds2);
  const most = down.has(purpose) ? Math.min(briefTimeoutSeconds, usual) : usual;
  return Math.min(most, Math.max(waitBudget.left(purpose), promptSeconds));
}
function mayTryAgain(cause, { request }, waitBudget) {
  const status = cause instanceof Error && "status" in cause && typeof cause.status === "number" ? cause.status : 0;
  if (status < 400 || doNotRetry.includes(status)) return true;
  const tried = numberOr(request["retryCount"], 0);
  if (tried >= numberOr(request["retries"], retries)) return true;
  return waitBudget.mayWait(purposeOf({ request }), (tried + 1) ** 2);
}
function numberOr(value, otherwise) {
  return typeof value === "number" ? value : otherwise;
}
function givenUp(purpose) {
  const most = longestWaitSeconds[purpose];
  const message = `it has not answered, and all calls together have waited ${most} s for it`;
  return Object.assign(new Error(message), { status: 503 });
}
function refuseText({ data }, request) {
  if (typeof data !== "string" || data === "") return;
  const error = new Error("what answered is not GitHub's API");
  throw Object.assign(error, {
    name: "HttpError",
    status: 502,
    request,
    response: { headers: {} }
  });
}

// src/github/api/github.ts
async function openGitHub(options2) {
  const { getOctokit, retry, throttling, createWriteQueue } = await import("./octokit.mjs");
  const pace = githubPace(options2.env);
  const traffic = createGitHubTraffic({ ...options2, pace, timeoutSeconds: options2.timeoutSeconds });
  const octokit = getOctokit(
    options2.token,
    {
      userAgent: "regrade",
      baseUrl: options2.env["GITHUB_API_URL"] || "https://api.github.com",
      log: { debug: noop, info: noop, warn: noop, error: noop },
      retry: { retries, retryAfterBaseValue: pace.retryMilliseconds, doNotRetry },
      throttle: {
        // GitHub counts limits for each token, and so does the pause between writes.
        id: options2.token,
        retryAfterBaseValue: pace.retryMilliseconds,
        onRateLimit: traffic.mayWait,
        onSecondaryRateLimit: traffic.mayWait,
        ...pace.writes && {
          write: createWriteQueue("write", pace.writes.each),
          notifications: createWriteQueue("notifications", pace.writes.notifying)
        }
      }
    },
    traffic.tries,
    retry,
    throttling,
    traffic.calls
  );
  return {
    request: octokit.request,
    paginate: octokit.paginate,
    graphql: octokit.graphql,
    repository: options2.repository,
    calls: traffic.count,
    waited: traffic.waited,
    attempt: (doing, work) => attempt({ doing, signal: options2.signal, traffic }, work)
  };
}
function noop() {
}
async function attempt({ doing, signal, traffic }, work) {
  const purpose = doing.decides === true ? "decide" : "tell";
  const cancelled = doing.forTheEnd === true ? never() : whenAborted(signal);
  try {
    if (doing.forTheEnd !== true) signal.throwIfAborted();
    return {
      kind: "done",
      value: await Promise.race([withPurpose(purpose, work), cancelled.promise])
    };
  } catch (cause) {
    if (signal.aborted && doing.forTheEnd !== true) return failed(doing, "cancelled", cause);
    const reason = reasonOf(cause);
    if (reason === void 0) throw cause;
    if (reason === "down") traffic.wentDown(purpose);
    return failed(doing, reason, cause);
  } finally {
    cancelled.stop();
  }
}
function never() {
  return { promise: new Promise(noop), stop: noop };
}
function whenAborted(signal) {
  const { promise, reject } = Promise.withResolvers();
  const onAbort = () => reject(new Error("cancelled"));
  signal.addEventListener("abort", onAbort);
  promise.catch(noop);
  return { promise, stop: () => signal.removeEventListener("abort", onAbort) };
}
function reasonOf(cause) {
  const status = statusOf(cause);
  if (status === void 0) return void 0;
  if (isLimit(cause, status)) return "limited";
  if (status === 401 || status === 403) return "forbidden";
  if (status === 404) return "missing";
  if (status === 410) return "gone";
  return status >= 500 ? "down" : "refused";
}
function statusOf(cause) {
  if (!(cause instanceof Error)) return void 0;
  if ("status" in cause && typeof cause.status === "number") return cause.status;
  return cause.name === "GraphqlResponseError" ? 403 : void 0;
}
function isLimit(cause, status) {
  if (status === 429) return true;
  return status === 403 && cause instanceof Error && /\brate limit\b/i.test(cause.message);
}
function failed({ what, permission }, reason, cause) {
  const message = cause instanceof Error ? cause.message : String(cause);
  const status = statusOf(cause);
  const found = { what, permission, message: message.split("\n", 1)[0] ?? "", status };
  return { kind: "failed", status, reason, problem: wordFailure(reason, found) };
}
function wordFailure(reason, found) {
  switch (reason) {
    case "forbidden":
      return problem("github_forbidden", found);
    case "missing":
    case "gone":
      return problem("github_missing", found);
    case "refused":
      return problem("github_refused", found);
    case "limited":
      return problem("github_limited", found);
    case "down":
      return problem("github_down", found);
    case "cancelled":
      return problem("github_cancelled", found);
  }
}

// src/github/runner/context.ts
init_define_builtScripts();

// src/model/json.ts
init_define_builtScripts();

// src/github/runner/context.ts
function readRepository(env) {
  const [owner, repo, ...rest] = (env["GITHUB_REPOSITORY"] ?? "").split("/");
  return owner && repo && rest.length === 0 ? { owner, repo } : void 0;
}

// src/github/artifacts/run-artifacts.ts
init_define_builtScripts();

// src/model/outcomes/shard.ts
init_define_builtScripts();

// src/github/artifacts/artifact-names.ts
init_define_builtScripts();

// src/github/runner/suite-names.ts
init_define_builtScripts();
function slug(name) {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return plain === "" ? "suite" : plain.slice(0, 100);
}

// src/github/artifacts/artifact-names.ts
var keyPattern = "[0-9a-f]{10}-[0-9a-f]{10}-[0-9a-f]{10}";
var withKey = new RegExp(`^regrade-([A-Za-z0-9._-]+)~scores-(${keyPattern})(?:-\\d+)?$`);

// src/github/runner/run-key.ts
init_define_builtScripts();

// src/base/cut-text.ts
init_define_builtScripts();

// src/base/once.ts
init_define_builtScripts();
function once(make) {
  let made;
  return () => (made ??= { value: make() }).value;
}

// src/base/cut-text.ts
var characters = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

// src/base/slashes.ts
init_define_builtScripts();

// src/github/artifacts/run-artifacts.ts
function kindOfArtifact(name) {
  const found = nameOfRun.exec(name);
  const [, suite, shard, key] = found ?? [];
  const isPlain = shard === void 0 && key === void 0;
  const isOther = isPlain && /-scores$|-inputs-[0-9a-f]{8,64}$/.test(suite ?? "");
  if (suite === void 0 || isOther) return void 0;
  return { kind: shard === void 0 ? "run" : "shard", slug: suite };
}
var nameOfRun = new RegExp(
  `^regrade-([A-Za-z0-9._-]+?)(?:(~shard-\\d+-of-\\d+(?:-\\d+)?)|(~${keyPattern}(?:-\\d+)?))?$`
);

// src/github/artifacts/ci-run.ts
var mostZipBytes = 1e9;
var bounds = {
  wanted: (name) => ["run.json", "samples.jsonl", "scores.jsonl"].includes(name),
  mostEntries: 1e3,
  mostFolders: 4,
  mostBytes: 8e9,
  mostDepth: 500
};
async function fetchCiRunFiles(asked) {
  try {
    return { kind: "fetched", directories: await fetchAll(asked) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: "refused", problems: error.problems, exit: error.exit };
  }
}
async function fetchAll(asked) {
  const { env, runId, signal } = asked;
  const token = env["GITHUB_TOKEN"] || env["GH_TOKEN"];
  if (!token) throw new Refusal(problem("ci_run_no_token", void 0));
  const repository = repositoryOf(asked);
  if (repository === void 0) throw new Refusal(problem("ci_run_no_repository", void 0));
  const github = await openGitHub({ env, token, repository, signal, warn: () => void 0 });
  const doing = {
    what: `reading the CI run ${runId}`,
    permission: "actions: read",
    decides: true
  };
  const listed3 = await github.attempt(doing, () => listArtifacts(runId, github));
  if (listed3.kind === "failed") throw ciRunRefusal(runId, listed3.problem.message);
  const directories = [];
  for (const artifact of choose(listed3.value, asked)) {
    directories.push(await fetchOne(artifact, asked, github));
  }
  return directories;
}
function ciRunRefusal(runId, reason) {
  return new Refusal(problem("ci_run_failed", { runId, reason }), { exit: 4 });
}
function repositoryOf({ repository, env, origin }) {
  const known2 = repository ?? env["GITHUB_REPOSITORY"];
  if (known2) return readRepository({ GITHUB_REPOSITORY: known2 });
  const found = /[/:]([^/:]+)\/([^/]+?)(?:\.git)?\/?$/.exec(origin ?? "");
  const [, owner, repo] = found ?? [];
  return owner !== void 0 && repo !== void 0 ? { owner, repo } : void 0;
}
async function listArtifacts(runId, github) {
  const { request, repository } = github;
  const all = [];
  for (let page3 = 1; ; page3 += 1) {
    const { data } = await request("GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", {
      ...repository,
      run_id: Number(runId),
      per_page: 100,
      page: page3
    });
    for (const { id, name, size_in_bytes: bytes, digest, expired } of data.artifacts)
      all.push({ id, name, bytes, digest: digest ?? void 0, expired });
    if (data.artifacts.length < 100) return all;
  }
}
function choose(all, { runId, suite }) {
  const newest = /* @__PURE__ */ new Map();
  for (const each of all.toSorted((a, b) => a.id - b.id)) newest.set(each.name, each);
  const runs = [...newest.values()].flatMap((artifact) => {
    const found = kindOfArtifact(artifact.name);
    if (found === void 0 || artifact.expired) return [];
    return suite === void 0 || slug(suite) === found.slug ? [{ artifact, ...found }] : [];
  });
  const names = [...new Set(runs.map((each) => each.slug))].toSorted();
  if (names.length === 0) {
    const expired = all.filter((each) => each.expired).map(({ name }) => `${name} (expired)`);
    throw new Refusal(problem("ci_run_no_artifact", { runId, found: expired }));
  }
  return names.flatMap((name) => {
    const own = runs.filter((each) => each.slug === name);
    const whole = own.filter(({ kind }) => kind === "run");
    return (whole.length > 0 ? whole : own).map(({ artifact }) => artifact);
  });
}
async function fetchOne({ id, bytes, digest }, { runId, folder: home }, github) {
  const directory2 = join2(home, `${runId}-${id}`);
  if ((await stat(directory2).catch(() => void 0))?.isDirectory() === true) return directory2;
  await mkdir2(home, { recursive: true });
  const folder = `${directory2}.part`;
  await rm2(folder, { recursive: true, force: true });
  const asked = { id, bytes, digest, folder, mostZipBytes, bounds };
  const doing = { what: "the download", permission: "actions: read", decides: true };
  const got = await github.attempt(doing, () => downloadArtifact(asked, github));
  if (got.kind === "done" && got.value.kind === "unzipped") {
    await rename(folder, directory2);
    return directory2;
  }
  await rm2(folder, { recursive: true, force: true });
  if (got.kind === "failed") throw ciRunRefusal(runId, got.problem.message);
  throw ciRunRefusal(runId, got.value.kind === "refused" ? got.value.reason : "it is empty");
}
export {
  fetchCiRunFiles
};
